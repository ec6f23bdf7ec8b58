/**
 * `window.ringcast`: a small read-only view of the run, for tests and for the curious at the console.
 *
 *     ringcast.protocol, ringcast.radio, ringcast.dropped, ringcast.delivery, ringcast.repair
 *     ringcast.t, ringcast.digest, ringcast.session, ringcast.layers, ringcast.phase, ringcast.selected
 *     ringcast.node('wurzelfunk')    its flags in words, parent, depth, positions, and where it is on the screen
 *     ringcast.nodes()               all ids
 */
import { FLAG } from './model'
import { radioOf } from './radio'
import { run } from './run.svelte'

type Place = { x: number; y: number }

let place: ((node: number) => Place) | null = null

/** Called by the picture of the network while it is there. */
export function exposePlaces(find: (node: number) => Place): () => void {
  place = find
  return () => {
    if (place === find) place = null
  }
}

const view = {
  /** Virtual time of the latest frame, and the one drawn. */
  get t() {
    return run.model.state.t
  },
  get drawn() {
    return run.clock.now
  },
  get digest() {
    return run.state?.digest ?? null
  },
  get verified() {
    return run.state?.verified ?? null
  },
  get session() {
    return run.session
  },
  get live() {
    return run.live && run.welcomed
  },
  get playing() {
    return run.state?.playing ?? false
  },
  get phase() {
    return run.summary?.watch.phase ?? null
  },
  get layers() {
    return (run.summary?.layers ?? []).map(({ name, wrong, since }) => ({ name, wrong, since }))
  },
  /** What it runs: protocol, kind of radio, and what each command of the document does. */
  get protocol() {
    return run.protocol?.name ?? null
  },
  get radio() {
    return radioOf(run.scenario).kind
  },
  get commands() {
    return (run.scenario?.events ?? []).map((event) => event.do)
  },
  /** Messages lost, by reason; and how many losses were streamed and can still be drawn. */
  get dropped() {
    return { ...run.state?.dropped }
  },
  get bursts() {
    return run.model.flights.losses.size
  },
  /** Of those expected to get the publications of the last minute. */
  get delivery() {
    return typeof run.share === 'object' ? { ...run.share } : null
  },
  /** Since the latest fault, by layer: seconds and rounds until it was legitimate. */
  get repair() {
    return run.state && { ...run.state.repair }
  },
  /** Id of the selected node. */
  get selected() {
    return run.world.ids[run.node] ?? null
  },
  get publications() {
    return run.publications.map((p) => ({
      id: p.id,
      node: p.node,
      expected: p.expected.length,
      delivered: Object.keys(p.delivered).length,
      duplicates: p.duplicates,
    }))
  },
  get links() {
    const { from, to, ids } = run.world
    return Array.from(from, (a, k) => [ids[a] ?? '', ids[to[k] ?? 0] ?? ''] as const)
  },
  nodes: () => [...run.world.ids],
  node(id: string) {
    const v = run.indexOf(id)
    if (v < 0) return null
    const { state } = run.model
    const flags = state.flags[v] ?? 0
    return {
      index: v,
      alive: (flags & FLAG.alive) !== 0,
      subscriber: (flags & FLAG.subscriber) !== 0,
      root: (flags & FLAG.root) !== 0,
      wrong: (flags & FLAG.anyWrong) !== 0,
      parent: run.world.ids[state.parent[v] ?? -1] ?? null,
      depth: state.depth[v] ?? 0,
      positions: [...state.pos.subarray(state.posStart[v], state.posStart[v + 1])],
      screen: place?.(v) ?? null,
    }
  },
}

declare global {
  interface Window {
    ringcast: Readonly<typeof view>
  }
}

export function expose(): void {
  Object.defineProperty(window, 'ringcast', { value: Object.freeze(view), configurable: true })
}
