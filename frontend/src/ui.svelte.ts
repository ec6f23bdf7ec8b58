/** What is open on the page: nothing here is part of a run. */
import type { Point, Via } from './draw/types'

/** Waiting for a place: for a node to move to, or a new one. */
export type Placing = { do: 'move-node'; node: number } | { do: 'add-node' } | null

export type Pane = 'network' | 'ring' | 'both'
export type Tab = 'run' | 'events' | 'more'
export type Setup = 'network' | 'protocol' | 'radio' | 'traffic' | 'seed'

class Ui {
  placing = $state.raw<Placing>(null)
  /** The small menu at a node or link. */
  menu = $state.raw<{ target: { node: number } | { link: number }; at: Point; via: Via } | null>(null)
  keys = $state(false)
  legend = $state(false)
  pane = $state<Pane>('network')
  tab = $state<Tab>('run')
  /** On the phone: the sheet shows everything about the node. */
  sheetOpen = $state(false)
  setup = $state<Setup | null>(null)
  share = $state(false)
  /** The offer to let some nodes subscribe is up. */
  offering = $state(false)

  place(placing: Placing): void {
    this.placing = placing
    this.menu = null
  }
}

export const ui = new Ui()
