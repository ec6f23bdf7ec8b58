/** The virtual ring as the nodes have built it so far: who says to be where. May be unfinished or contradict itself. */
import { FLAG, type State, type World } from '../../model'
import { LinkKind, linkKind } from '../tree'

export interface Ring {
  part: number
  /** Positions: what the root believes, or as far as anyone has counted. 0: nobody has. */
  length: number
  /** Node at each position, -1 where nobody is. */
  owner: Int32Array
  /** Living nodes of this part, and how many of them have a position to themselves. */
  members: number
  placed: number
  /** Whether every position is taken by one node and every node has one. */
  closed: boolean
  deepest: number
}

export interface Part {
  part: number
  size: number
  root: number
}

/** The connected parts of the network, largest first. */
export function partsOf(state: State): Part[] {
  const parts = new Map<number, Part>()
  for (let v = 0; v < state.part.length; v++) {
    const p = state.part[v]!
    if (p < 0 || !(state.flags[v]! & FLAG.alive)) continue
    let part = parts.get(p)
    if (!part) parts.set(p, (part = { part: p, size: 0, root: -1 }))
    part.size++
    if (state.flags[v]! & FLAG.root) part.root = v
  }
  return [...parts.values()].sort((a, b) => b.size - a.size || a.part - b.part)
}

export function ringOf(state: State, part: number, wrongMask = FLAG.anyWrong): Ring {
  const { flags, pos, posStart, ringLength, depth } = state
  const nodes: number[] = []
  let believed = 0
  let furthest = 0
  let deepest = 0
  for (let v = 0; v < flags.length; v++) {
    if (state.part[v] !== part || !(flags[v]! & FLAG.alive)) continue
    nodes.push(v)
    deepest = Math.max(deepest, depth[v]!)
    for (let i = posStart[v]!; i < posStart[v + 1]!; i++) furthest = Math.max(furthest, pos[i]! + 1)
    // While several believe to be the root, the one that has heard of most.
    if (flags[v]! & FLAG.root) believed = Math.max(believed, ringLength[v]!)
  }
  // A corrupted root may believe anything: a ring visits each node at most twice per link of its tree.
  const most = Math.max(1, 2 * nodes.length)
  const counted = believed > 0 && believed <= most ? believed : Math.min(furthest, most)
  let seats = seat(state, nodes, counted, wrongMask)
  // The tour around a tree of n nodes has 2 (n − 1) positions: until everybody has one the ring is drawn at least that
  // long, so that it is seen to fill up.
  const due = Math.max(counted, 2 * (nodes.length - 1))
  if (seats.placed < nodes.length && due > counted) seats = seat(state, nodes, due, wrongMask)
  const { owner, placed, clashes } = seats
  const length = owner.length
  const closed = length > 0 && placed === nodes.length && clashes === 0 && !owner.includes(-1)
  return { part, length, owner, members: nodes.length, placed, closed, deepest }
}

/** Gives every position to who says to be there. */
function seat(
  { flags, pos, posStart }: State,
  nodes: readonly number[],
  length: number,
  wrongMask: number,
): { owner: Int32Array; placed: number; clashes: number } {
  const owner = new Int32Array(length).fill(-1)
  let clashes = 0
  // Those in error first, so that the others overrule them.
  for (const wrong of [true, false])
    for (const v of nodes) {
      if (((flags[v]! & wrongMask) !== 0) !== wrong) continue
      for (let i = posStart[v]!; i < posStart[v + 1]!; i++) {
        const p = pos[i]!
        if (p < 0 || p >= length) continue
        if (owner[p] !== -1 && owner[p] !== v) clashes++
        owner[p] = v
      }
    }
  const placed = new Set(owner).size - (owner.includes(-1) ? 1 : 0)
  return { owner, placed, clashes }
}

/** Runs of positions for which `is` holds, bridging gaps of up to `gap`, as [first, last]; longer than one position. */
export function runs(length: number, is: (p: number) => boolean, gap = 2): [number, number][] {
  const out: [number, number][] = []
  let p = 0
  while (p < length) {
    if (!is(p)) {
      p++
      continue
    }
    let last = p
    for (let q = p + 1; q < length && q <= last + gap + 1; q++) if (is(q)) last = q
    if (last > p) out.push([p, last])
    p = last + 1
  }
  return out
}

/** The shortcuts of a part: one pair of positions per accepted link that is no tree link. */
export function shortcuts(world: World, state: State, ring: Ring): Int32Array {
  const pairs: number[] = []
  const { posStart, pos } = state
  for (let k = 0; k < world.m; k++) {
    const a = world.from[k]!
    const b = world.to[k]!
    if (state.part[a] !== ring.part || linkKind(world, state, k) !== LinkKind.shortcut) continue
    const placed = (v: number): boolean => posStart[v + 1]! > posStart[v]!
    if (!placed(a) || !placed(b)) continue
    const p = pos[posStart[a]!]!
    const q = pos[posStart[b]!]!
    if (p >= 0 && q >= 0 && p < ring.length && q < ring.length) pairs.push(p, q)
  }
  return Int32Array.from(pairs)
}

/** Every how many positions a number stands, so that about eight do. */
export function tickStep(length: number): number {
  if (length <= 12) return 1
  for (let unit = 1; ; unit *= 10) for (const k of [1, 2, 5]) if (length / (unit * k) <= 9) return unit * k
}
