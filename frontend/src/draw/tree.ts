/** What the pictures derive from the nodes' own variables: sizes of subtrees, kinds of links, neighbours. */
import { FLAG, LINK, type State, type World } from '../model'

/**
 * Nodes in each node's subtree, itself included, from the parent pointers alone.
 *
 * Pointers are what nodes believe and may form cycles: nodes on a cycle count only what hangs below them.
 */
export function subtreeSizes(
  parent: Int32Array,
  out: Int32Array = new Int32Array(parent.length),
): Int32Array {
  const n = parent.length
  const waiting = new Int32Array(n)
  for (let v = 0; v < n; v++) {
    out[v] = 1
    const p = parent[v]!
    if (p >= 0 && p < n && p !== v) waiting[p]!++
  }
  const queue: number[] = []
  for (let v = 0; v < n; v++) if (waiting[v] === 0) queue.push(v)
  for (let i = 0; i < queue.length; i++) {
    const v = queue[i]!
    const p = parent[v]!
    if (p < 0 || p >= n || p === v) continue
    out[p]! += out[v]!
    if (--waiting[p]! === 0) queue.push(p)
  }
  return out
}

/** How a link is drawn. */
export const LinkKind = { shortcut: 0, tree: 1, excluded: 2, oneway: 3, dead: 4 } as const

export function linkKind(world: World, state: State, k: number): number {
  const a = world.from[k]!
  const b = world.to[k]!
  const bits = state.link[k]!
  const works = bits & (LINK.forth | LINK.back)
  if (!works || !(state.flags[a]! & FLAG.alive) || !(state.flags[b]! & FLAG.alive)) return LinkKind.dead
  if (works !== (LINK.forth | LINK.back)) return LinkKind.oneway
  if (state.parent[a] === b || state.parent[b] === a) return LinkKind.tree
  const accepted = LINK.acceptedForth | LINK.acceptedBack
  return (bits & accepted) === accepted ? LinkKind.shortcut : LinkKind.excluded
}

/** Every node's links as one list: links of v are link[start[v]] … link[start[v + 1] - 1]. */
export interface Incidence {
  start: Uint32Array
  link: Uint32Array
}

export function incidence(n: number, from: Uint32Array, to: Uint32Array): Incidence {
  const start = new Uint32Array(n + 1)
  for (const ends of [from, to]) for (const v of ends) start[v + 1]!++
  for (let v = 0; v < n; v++) start[v + 1]! += start[v]!
  const next = start.slice()
  const link = new Uint32Array(from.length * 2)
  for (let k = 0; k < from.length; k++) {
    link[next[from[k]!]!++] = k
    link[next[to[k]!]!++] = k
  }
  return { start, link }
}

/**
 * Which nodes make up the region that is healing: those wrong in any layer that is wrong in less than `most` of the
 * living nodes. A layer wrong nearly everywhere says nothing about where.
 */
export function healingRegion(flags: Int32Array, out: Uint8Array, most = 0.5): number {
  out.fill(0)
  let alive = 0
  const counts = new Int32Array(23)
  for (const f of flags) {
    if (!(f & FLAG.alive)) continue
    alive++
    if (f & FLAG.anyWrong)
      for (let layer = 0; layer < 23; layer++) if (f & FLAG.wrong(layer)) counts[layer]!++
  }
  let mask = 0
  counts.forEach((c, layer) => (mask |= c > 0 && c <= alive * most ? FLAG.wrong(layer) : 0))
  let size = 0
  for (let v = 0; v < flags.length; v++)
    if (flags[v]! & FLAG.alive && flags[v]! & mask) {
      out[v] = 1
      size++
    }
  return size
}
