/**
 * Reads the binary state frames of docs/wire.md.
 *
 * `decode` checks everything before `apply` touches the model, so a malformed frame never leaves half a state behind:
 * it throws a FrameError and the connection starts afresh with a full frame. Columns are views onto the received
 * bytes, which works because every payload is aligned and both ends are little-endian.
 */
import { clearFlights, pushFlight, pushLoss, pushSample } from './model'
import type { Curves, Flights, State, World } from './model'
import { FRAME, HEADER_BYTES, SECTION, SECTION_HEADER_BYTES, WIRE_VERSION } from './wire.gen'

/** The server (or something on the way) sent bytes that are not a frame. */
export class FrameError extends Error {
  override name = 'FrameError'
}

interface Changes<T> {
  /** null: `value` holds every entry. */
  index: Uint32Array | null
  value: T
}

export interface Sends {
  start: Float64Array
  flight: Float32Array
  from: Uint32Array
  to: Uint32Array
  fromPos: Int32Array
  toPos: Int32Array
  publication: Int32Array
  kind: Uint8Array
}

export interface Frame {
  full: boolean
  number: number
  t: number
  n: number
  m: number
  epoch: number
  leftOut: number
  columns: Map<number, Changes<Int32Array>>
  links: Changes<Uint8Array> | null
  positions: (Changes<Int32Array> & { start: Uint32Array }) | null
  sends: Sends | null
  drops: { t: Float64Array; from: Uint32Array; to: Uint32Array; kind: Uint8Array; reason: Uint8Array } | null
  samples: { layers: number; t: Float64Array; wrong: Int32Array } | null
  deliveries: { t: Float64Array; node: Uint32Array; publication: Int32Array } | null
}

/** Hands out typed arrays from one payload, in order, and refuses to run past the end of the frame. */
class Reader {
  constructor(
    private readonly buffer: ArrayBuffer,
    public at: number,
  ) {}

  private take(count: number, size: number): number {
    const start = this.at
    if (count * size > this.buffer.byteLength - start)
      throw new FrameError('a section runs past the end of the frame')
    this.at += count * size
    return start
  }

  f64(count: number): Float64Array {
    return new Float64Array(this.buffer, this.take(count, 8), count)
  }
  f32(count: number): Float32Array {
    return new Float32Array(this.buffer, this.take(count, 4), count)
  }
  u32(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(count, 4), count)
  }
  i32(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(count, 4), count)
  }
  u8(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count, 1), count)
  }
}

function below(values: Uint32Array, limit: number, what: string): Uint32Array {
  for (const value of values)
    if (value >= limit) throw new FrameError(`${what} ${value} is not below ${limit}`)
  return values
}

function rising(start: Uint32Array): Uint32Array {
  if (start[0] !== 0) throw new FrameError('positions do not start at 0')
  for (let i = 1; i < start.length; i++)
    if ((start[i] ?? 0) < (start[i - 1] ?? 0)) throw new FrameError('positions are out of order')
  return start
}

function finite(values: Float64Array | Float32Array): void {
  for (const value of values) if (!Number.isFinite(value)) throw new FrameError('a time is not a number')
}

/** Takes a frame apart. Raises FrameError for anything docs/wire.md does not allow. */
export function decode(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) throw new FrameError('a frame is shorter than its header')
  const view = new DataView(buffer)
  if (view.getUint16(0) !== 0x5243) throw new FrameError('a frame does not start with RC')
  if (view.getUint8(2) !== WIRE_VERSION)
    throw new FrameError(`frame version ${view.getUint8(2)} is not known here`)
  const kind = view.getUint8(3)
  if (kind !== FRAME.FULL && kind !== FRAME.DELTA)
    throw new FrameError(`frame kind ${kind} is not known here`)
  const frame: Frame = {
    full: kind === FRAME.FULL,
    number: view.getUint32(4, true),
    t: view.getFloat64(8, true),
    n: view.getUint32(16, true),
    m: view.getUint32(20, true),
    epoch: view.getUint32(24, true),
    leftOut: view.getUint16(30, true),
    columns: new Map(),
    links: null,
    positions: null,
    sends: null,
    drops: null,
    samples: null,
    deliveries: null,
  }
  if (!Number.isFinite(frame.t)) throw new FrameError('the time of a frame is not a number')
  let at = HEADER_BYTES
  for (let left = view.getUint16(28, true); left > 0; left--) {
    if (buffer.byteLength - at < SECTION_HEADER_BYTES) throw new FrameError('a section has no header')
    const reader = new Reader(buffer, at + SECTION_HEADER_BYTES)
    section(frame, view.getUint8(at), view.getUint8(at + 1), view.getUint32(at + 4, true), reader)
    at = Math.ceil(reader.at / 8) * 8
  }
  if (at !== buffer.byteLength) throw new FrameError('a frame is longer than its sections')
  return frame
}

function section(frame: Frame, tag: number, id: number, k: number, read: Reader): void {
  const { n, m } = frame
  const whole = (count: number, expected: number): void => {
    if (count !== expected) throw new FrameError(`section ${tag} has ${count} entries, not ${expected}`)
  }
  switch (tag) {
    case SECTION.COLUMN_FULL:
      whole(k, n)
      frame.columns.set(id, { index: null, value: read.i32(k) })
      return
    case SECTION.COLUMN_CHANGES:
      frame.columns.set(id, { index: below(read.u32(k), n, 'node'), value: read.i32(k) })
      return
    case SECTION.LINKS_FULL:
      whole(k, m)
      frame.links = { index: null, value: read.u8(k) }
      return
    case SECTION.LINKS_CHANGES:
      frame.links = { index: below(read.u32(k), m, 'link'), value: read.u8(k) }
      return
    case SECTION.POSITIONS_FULL: {
      const start = rising(read.u32(n + 1))
      whole(start[n] ?? 0, k)
      frame.positions = { index: null, start, value: read.i32(k) }
      return
    }
    case SECTION.POSITIONS_CHANGES: {
      const index = below(read.u32(k), n, 'node')
      const start = rising(read.u32(k + 1))
      frame.positions = { index, start, value: read.i32(start[k] ?? 0) }
      return
    }
    case SECTION.SENDS: {
      const start = read.f64(k)
      const flight = read.f32(k)
      finite(start)
      finite(flight)
      const [from, to] = [below(read.u32(k), n, 'node'), below(read.u32(k), n, 'node')]
      const [fromPos, toPos, publication] = [read.i32(k), read.i32(k), read.i32(k)]
      frame.sends = { start, flight, from, to, fromPos, toPos, publication, kind: read.u8(k) }
      return
    }
    case SECTION.DROPS: {
      const t = read.f64(k)
      const [from, to] = [below(read.u32(k), n, 'node'), below(read.u32(k), n, 'node')]
      frame.drops = { t, from, to, kind: read.u8(k), reason: read.u8(k) }
      return
    }
    case SECTION.LEGITIMACY: {
      const t = read.f64(k)
      finite(t)
      frame.samples = { layers: id, t, wrong: read.i32(id * k) }
      return
    }
    case SECTION.DELIVERIES: {
      const t = read.f64(k)
      frame.deliveries = { t, node: below(read.u32(k), n, 'node'), publication: read.i32(k) }
      return
    }
    default:
      throw new FrameError(`section ${tag} is not known here`)
  }
}

/** What frames are applied to. */
export interface Model {
  world: World
  state: State
  flights: Flights
  curves: Curves
  /** Names of the node columns, in the order of their ids. */
  columns: readonly string[]
  /** Number of the frame applied last; -1: none, so the next must be full. */
  frame: number
}

/** Where a node column lives in the state. */
function column(state: State, name: string | undefined): Int32Array | null {
  switch (name) {
    case 'flags':
    case 'parent':
    case 'depth':
    case 'root':
    case 'wants':
    case 'part':
      return state[name]
    case 'ring_length':
      return state.ringLength
    default:
      return null // a protocol's own column, which no view asks for
  }
}

function write(target: Int32Array | Uint8Array, changes: Changes<Int32Array | Uint8Array>): void {
  const { index, value } = changes
  if (!index) target.set(value)
  else for (let i = 0; i < index.length; i++) target[index[i] ?? 0] = value[i] ?? 0
}

/** Brings the model up to the frame. Raises FrameError when the frame does not follow what the model holds. */
export function apply(frame: Frame, model: Model): void {
  const { world, state } = model
  if (frame.epoch !== world.epoch || frame.n !== world.n || frame.m !== world.m)
    throw new FrameError('a frame belongs to another network')
  if (!frame.full && frame.number !== model.frame + 1)
    throw new FrameError(`frame ${frame.number} cannot follow frame ${model.frame}`)
  if (frame.samples && frame.samples.layers !== model.curves.layers.length)
    throw new FrameError(`a frame has ${frame.samples.layers} layers, not ${model.curves.layers.length}`)
  for (const id of frame.columns.keys())
    if (id >= model.columns.length) throw new FrameError(`node column ${id} is not declared`)
  if (frame.full) requireAll(frame, model)

  model.frame = frame.number
  if (frame.t < state.t) clearFlights(model.flights)
  for (const [id, changes] of frame.columns) {
    const target = column(state, model.columns[id])
    if (target) write(target, changes)
  }
  if (frame.links) write(state.link, frame.links)
  if (frame.positions) applyPositions(state, world.n, frame.positions)
  if (frame.sends) applySends(model.flights, frame.sends)
  if (frame.drops) {
    const { t, from, to, kind, reason } = frame.drops
    for (let i = 0; i < t.length; i++)
      pushLoss(model.flights, t[i] ?? 0, from[i] ?? 0, to[i] ?? 0, kind[i] ?? 0, reason[i] ?? 0)
  }
  if (frame.samples) applySamples(model.curves, frame.samples)
  state.t = frame.t
  state.version++
}

function requireAll(frame: Frame, model: Model): void {
  const complete = (changes: Changes<unknown> | null | undefined): boolean => changes?.index === null
  if (!model.columns.every((_, id) => complete(frame.columns.get(id))))
    throw new FrameError('a full frame lacks a node column')
  if (!complete(frame.links)) throw new FrameError('a full frame lacks the links')
}

function applyPositions(state: State, n: number, p: NonNullable<Frame['positions']>): void {
  if (!p.index) {
    state.posStart = p.start.slice()
    state.pos = p.value.slice()
    return
  }
  const slot = new Int32Array(n).fill(-1)
  p.index.forEach((node, i) => (slot[node] = i))
  const start = new Uint32Array(n + 1)
  for (let v = 0; v < n; v++) {
    const i = slot[v] ?? -1
    const [from, to] = i < 0 ? [state.posStart[v], state.posStart[v + 1]] : [p.start[i], p.start[i + 1]]
    start[v + 1] = (start[v] ?? 0) + (to ?? 0) - (from ?? 0)
  }
  const pos = new Int32Array(start[n] ?? 0)
  for (let v = 0; v < n; v++) {
    const i = slot[v] ?? -1
    const part =
      i < 0
        ? state.pos.subarray(state.posStart[v], state.posStart[v + 1])
        : p.value.subarray(p.start[i], p.start[i + 1])
    pos.set(part, start[v])
  }
  state.posStart = start
  state.pos = pos
}

function applySends(flights: Flights, s: Sends): void {
  for (let i = 0; i < s.start.length; i++)
    pushFlight(
      flights,
      s.start[i] ?? 0,
      s.flight[i] ?? 0,
      s.from[i] ?? 0,
      s.to[i] ?? 0,
      s.fromPos[i] ?? -1,
      s.toPos[i] ?? -1,
      s.publication[i] ?? -1,
      s.kind[i] ?? 0,
    )
}

function applySamples(curves: Curves, s: NonNullable<Frame['samples']>): void {
  const k = s.t.length
  const wrong = new Int32Array(s.layers)
  for (let i = 0; i < k; i++) {
    const t = s.t[i] ?? 0
    for (let layer = 0; layer < s.layers; layer++) wrong[layer] = s.wrong[layer * k + i] ?? 0
    addSample(curves, t, wrong)
  }
}

/** Most samples kept; beyond it the older half is thinned. */
export const MOST_SAMPLES = 16_384

/**
 * Adds one sample: a third equal one in a row moves the second along instead, for a flat line needs two points.
 * Keeps `since` (since when each layer has been legitimate without a break).
 */
export function addSample(curves: Curves, t: number, wrong: ArrayLike<number>): void {
  const { size } = curves
  for (let layer = 0; layer < curves.layers.length; layer++)
    curves.since[layer] = wrong[layer] ? null : (curves.since[layer] ?? t)
  const equals = (at: number): boolean =>
    at >= 0 && curves.wrong.every((w, layer) => w[at] === (wrong[layer] ?? 0))
  if (equals(size - 1) && equals(size - 2)) {
    curves.t[size - 1] = t
    return
  }
  if (size >= MOST_SAMPLES) thin(curves)
  pushSample(curves, t, wrong)
}

/** Halves the older half: of two samples the one with more wrong in it stays, so that no peak gets lost. */
function thin(curves: Curves): void {
  const total = (at: number): number => curves.wrong.reduce((sum, w) => sum + (w[at] ?? 0), 0)
  const copy = (from: number, to: number): void => {
    curves.t[to] = curves.t[from] ?? 0
    for (const w of curves.wrong) w[to] = w[from] ?? 0
  }
  const half = curves.size >> 1
  let to = 0
  for (let at = 0; at < half; at += 2) copy(at + 1 < half && total(at + 1) > total(at) ? at + 1 : at, to++)
  for (let at = half; at < curves.size; at++) copy(at, to++)
  curves.size = to
}
