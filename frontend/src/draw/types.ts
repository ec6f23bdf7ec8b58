/** What the pictures promise to whoever puts them on a page. Coordinates are CSS pixels inside the picture's host. */
import type { Curves, Flights, Mark, MessageKind, State, World } from '../model'
import type { Reached } from '../reached'

export interface Point {
  x: number
  y: number
}

/** What is under a point. */
export type Hit = { node: number } | { link: number }

/** How somebody pointed: menus are placed and sized differently for a finger. */
export type Via = 'mouse' | 'touch' | 'keyboard'

/** Space at the edges that other things cover; fitting keeps out of it. */
export interface Padding {
  top: number
  right: number
  bottom: number
  left: number
}

export interface PictureOptions {
  /** The pointer rests on something else, or on nothing. */
  onHover?: (hit: Hit | null) => void
  /** Click, tap, or Enter on the selected node; null: on empty ground. The picture selects nothing by itself. */
  onPick?: (hit: Hit | null, at: Point, via: Via) => void
  /** An arrow key asks for another node. */
  onStep?: (node: number) => void
  /** The visible section moved (menus anchored to a node follow). */
  onCamera?: () => void
  /** Messages jump hop by hop; default: the browser's prefers-reduced-motion. */
  reducedMotion?: boolean
}

export interface TopologyOptions extends PictureOptions {
  padding?: Partial<Padding>
}

/** What topology and ring have in common. */
export interface Picture {
  setWorld(world: World): void
  setState(state: State): void
  setFlights(flights: Flights, kinds: readonly MessageKind[]): void
  /** Reads the palette again, after the theme changed. */
  setTheme(): void
  select(node: number | null): void
  hover(node: number | null): void
  /** The publication whose path and deliveries are shown; null: the latest one seen. */
  setPublication(publication: number | null): void
  /** A subscriber got publication `publication` (wire section 10, or the `publication` message). */
  deliver(node: number, publication: number): void
  /** Forgets paths and deliveries, after a reset or undo. */
  forget(): void
  pick(x: number, y: number, via?: Via): Hit | null
  /** Paints what is needed at virtual time `now`; `speed` is virtual seconds per second. */
  frame(now: number, speed?: number): void
  destroy(): void
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** A lane of the score: where it lies, and where its flat line is drawn (all from the top of the host). */
export interface Lane {
  top: number
  height: number
  base: number
}

export interface ScoreGeometry {
  /** null on a phone. */
  events: Lane | null
  layers: Lane[]
  /** Of the share of subscribers reached; null: the protocol publishes nothing. */
  delivery: Lane | null
  /** The row of tick labels. */
  axis: Lane | null
  overview: Lane | null
  height: number
}

export interface ScoreOptions {
  /** 30, 26 or 25 px. */
  laneHeight?: number
  /** A lane for the share of subscribers reached. */
  delivery?: boolean
  /** Without events, axis and overview. */
  phone?: boolean
  /** Clicked on a mark of the events lane. */
  onMark?: (mark: Mark) => void
  /** The visible window moved; `following` is false while the user looks at the past. */
  onWindow?: (from: number, to: number, following: boolean) => void
}

export interface Score {
  setCurves(curves: Curves): void
  setMarks(marks: readonly Mark[]): void
  setDelivery(reached: Reached): void
  /** Planned length of the run in virtual seconds, null when open. */
  setDuration(duration: number | null): void
  setTheme(): void
  geometry(): ScoreGeometry
  follow(): void
  frame(now: number): void
  destroy(): void
}
