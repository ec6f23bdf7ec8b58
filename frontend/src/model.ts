/**
 * What a run looks like from outside: columns of numbers the socket fills and the pictures read.
 *
 * Plain data and typed arrays only, so that neither the wire nor the drawing depends on the other. Nodes and links
 * are indices into the latest `World`; times are virtual seconds.
 */

import { DROP_REASONS } from './wire.gen'

/** The network: what changes only with the world's epoch. */
export interface World {
  epoch: number
  n: number
  m: number
  ids: readonly string[]
  names: readonly string[]
  /** Drawing coordinates; y grows downwards. */
  x: Float32Array
  y: Float32Array
  from: Uint32Array
  to: Uint32Array
  /** Index of the designated root, -1 for none. */
  root: number
  channels: readonly string[]
  /** Share of frames that get through, there and back, two numbers a link, 0: not known; null: of no link. */
  quality: Float32Array | null
}

/**
 * The latest state of every node and link, in columns (see docs/wire.md). `version` rises with every change; what
 * changed since a view last looked is up to each view (compare copies).
 */
export interface State {
  version: number
  t: number
  flags: Int32Array
  parent: Int32Array
  depth: Int32Array
  root: Int32Array
  ringLength: Int32Array
  wants: Int32Array
  part: Int32Array
  link: Uint8Array
  /** Ring positions of node v: pos[posStart[v]] … pos[posStart[v + 1] - 1]. */
  posStart: Uint32Array
  pos: Int32Array
}

/**
 * Messages in flight: a ring buffer of columns; entry k is in the air from start[k] to start[k] + flight[k] (virtual s).
 * `head` is where the next one goes, `size` how many of the latest are kept.
 */
export interface Flights {
  capacity: number
  head: number
  size: number
  start: Float64Array
  flight: Float32Array
  from: Uint32Array
  to: Uint32Array
  fromPos: Int32Array
  toPos: Int32Array
  publication: Int32Array
  kind: Uint8Array
  lost: Uint8Array
  losses: Losses
}

/** What was lost lately: a ring buffer as well. `node`, and its ring position where known, is where it shows. */
export interface Losses {
  capacity: number
  head: number
  size: number
  t: Float64Array
  /** The other end. */
  from: Uint32Array
  node: Uint32Array
  pos: Int32Array
  kind: Uint8Array
  /** Place in DROP_REASONS. */
  reason: Uint8Array
}

export interface MessageKind {
  name: string
  shape: 'publication' | 'subscription' | 'structure'
}

/** Layer curves: samples (t, wrong per layer), and since when each layer has been legitimate. */
export interface Curves {
  layers: readonly string[]
  size: number
  t: Float64Array
  wrong: Int32Array[]
  since: (number | null)[]
}

/** Something on the time line. */
export interface Mark {
  t: number
  kind: 'fault' | 'restore' | 'corrupt' | 'publish' | 'subscribe' | 'storm' | 'loss' | 'other'
  label: string
  node: number
  /** Of something that lasts. */
  end?: number
}

export const FLAG = {
  alive: 1,
  subscriber: 2,
  root: 4,
  corrupted: 8,
  publisher: 16,
  wrong: (layer: number): number => 256 << layer,
  anyWrong: 0x7fffff00,
}

/** Bits of a link's byte: whether it works, and whether the receiving end's neighbourhood accepts it, each way. */
export const LINK = { forth: 1, back: 2, acceptedForth: 4, acceptedBack: 8 }

/** An empty state: every node alive and alone, every link working and not yet accepted. */
export function createState(n: number, m: number): State {
  return {
    version: 0,
    t: 0,
    flags: new Int32Array(n).fill(FLAG.alive),
    parent: new Int32Array(n).fill(-1),
    depth: new Int32Array(n),
    root: new Int32Array(n).fill(-1),
    ringLength: new Int32Array(n),
    wants: new Int32Array(n),
    part: new Int32Array(n),
    link: new Uint8Array(m).fill(LINK.forth | LINK.back),
    posStart: new Uint32Array(n + 1),
    pos: new Int32Array(0),
  }
}

export function createFlights(capacity: number): Flights {
  return {
    capacity,
    head: 0,
    size: 0,
    start: new Float64Array(capacity),
    flight: new Float32Array(capacity),
    from: new Uint32Array(capacity),
    to: new Uint32Array(capacity),
    fromPos: new Int32Array(capacity),
    toPos: new Int32Array(capacity),
    publication: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    lost: new Uint8Array(capacity),
    losses: createLosses(Math.max(1, capacity >> 2)),
  }
}

function createLosses(capacity: number): Losses {
  return {
    capacity,
    head: 0,
    size: 0,
    t: new Float64Array(capacity),
    from: new Uint32Array(capacity),
    node: new Uint32Array(capacity),
    pos: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    reason: new Uint8Array(capacity),
  }
}

/** Adds one message and returns its slot; the oldest one makes room when the buffer is full. */
export function pushFlight(
  f: Flights,
  start: number,
  flight: number,
  from: number,
  to: number,
  fromPos: number,
  toPos: number,
  publication: number,
  kind: number,
): number {
  const k = f.head
  f.start[k] = start
  f.flight[k] = flight
  f.from[k] = from
  f.to[k] = to
  f.fromPos[k] = fromPos
  f.toPos[k] = toPos
  f.publication[k] = publication
  f.kind[k] = kind
  f.lost[k] = 0
  f.head = (k + 1) % f.capacity
  f.size = Math.min(f.size + 1, f.capacity)
  return k
}

/** Slot of the i-th one kept, oldest first. */
export function flightSlot(f: Pick<Flights, 'head' | 'size' | 'capacity'>, i: number): number {
  return (f.head - f.size + i + f.capacity) % f.capacity
}

/** How long after its last frame a message may be given up for want of an acknowledgement, virtual s. */
const UNANSWERED = 0.05

/**
 * Marks the latest message of this kind from `from` to `to` that was in the air at `t` as lost.
 *
 * Returns its slot, or -1 when the buffer no longer holds it (or it was never streamed).
 */
export function markLost(f: Flights, t: number, from: number, to: number, kind: number): number {
  for (let i = f.size - 1; i >= 0; i--) {
    const k = flightSlot(f, i)
    if (f.from[k] !== from || f.to[k] !== to || f.kind[k] !== kind || f.lost[k]) continue
    const start = f.start[k] ?? 0
    if (start > t + 1e-9 || start + (f.flight[k] ?? 0) < t - UNANSWERED) continue
    f.lost[k] = 1
    return k
  }
  return -1
}

/** The sender gave up before the frame was on the air: that shows at the sender. */
const BUSY = DROP_REASONS.indexOf('busy')

/** Notes that a message from `from` to `to` was lost at `t`, and which one in the air it was. */
export function pushLoss(
  f: Flights,
  t: number,
  from: number,
  to: number,
  kind: number,
  reason: number,
): void {
  const slot = markLost(f, t, from, to, kind)
  const l = f.losses
  const k = l.head
  const before = (k - 1 + l.capacity) % l.capacity
  const sent = reason === BUSY
  // Given up towards many neighbours at once: once is enough to see.
  if (sent && l.size && l.reason[before] === BUSY && l.node[before] === from && l.t[before] === t) return
  l.t[k] = t
  l.from[k] = sent ? to : from
  l.node[k] = sent ? from : to
  l.pos[k] = slot < 0 ? -1 : ((sent ? f.fromPos : f.toPos)[slot] ?? -1)
  l.kind[k] = kind
  l.reason[k] = reason
  l.head = (k + 1) % l.capacity
  l.size = Math.min(l.size + 1, l.capacity)
}

/** Forgets every message, for instance after a reset. */
export function clearFlights(f: Flights): void {
  f.head = f.size = f.losses.head = f.losses.size = 0
}

export function createCurves(layers: readonly string[], capacity = 256): Curves {
  return {
    layers,
    size: 0,
    t: new Float64Array(capacity),
    wrong: layers.map(() => new Int32Array(capacity)),
    since: layers.map(() => null),
  }
}

/** Appends a sample, doubling the columns when full; `wrong` holds one count per layer. */
export function pushSample(c: Curves, t: number, wrong: ArrayLike<number>): void {
  if (c.size === c.t.length) {
    const t2 = new Float64Array(c.size * 2)
    t2.set(c.t)
    c.t = t2
    c.wrong = c.wrong.map((w) => {
      const w2 = new Int32Array(c.size * 2)
      w2.set(w)
      return w2
    })
  }
  c.t[c.size] = t
  c.wrong.forEach((w, layer) => (w[c.size] = wrong[layer] ?? 0))
  c.size++
}
