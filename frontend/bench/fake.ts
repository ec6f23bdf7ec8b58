/**
 * A run without a server, for looking at the pictures and timing them: a real tree, ring and publication on any graph.
 *
 * Only the drawing is under test here: states are computed centrally, the way a legitimate run would end up.
 */
import {
  createFlights,
  createState,
  FLAG,
  LINK,
  pushFlight,
  type MessageKind,
  type State,
  type World,
} from '../src/model'

export const KINDS: MessageKind[] = [
  { name: 'BEACON', shape: 'structure' },
  { name: 'SUB', shape: 'subscription' },
  { name: 'PUB', shape: 'publication' },
]
const PUB = 2

/** A small seeded generator (mulberry32). */
export function random(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface Graph {
  names: string[]
  x: number[]
  y: number[]
  links: [number, number][]
  /** Links the neighbourhood excludes. */
  excluded: boolean[]
  root: number
}

/** Random points in a rectangle, linked when near: about `degree` links a node. */
export function geometric(n: number, degree: number, seed: number): Graph {
  const next = random(seed)
  const x = Array.from({ length: n }, () => next() * 1000)
  const y = Array.from({ length: n }, () => next() * 760)
  const range = Math.sqrt((degree * 1000 * 760) / (Math.PI * n))
  const cells = new Map<number, number[]>()
  const links: [number, number][] = []
  for (let v = 0; v < n; v++) {
    const [cx, cy] = [Math.floor(x[v]! / range), Math.floor(y[v]! / range)]
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (const w of cells.get((cx + i) * 10_000 + cy + j) ?? [])
          if (Math.hypot(x[v]! - x[w]!, y[v]! - y[w]!) < range) links.push([w, v])
    const key = cx * 10_000 + cy
    cells.set(key, [...(cells.get(key) ?? []), v])
  }
  let root = 0
  for (let v = 0; v < n; v++)
    if (Math.hypot(x[v]! - 500, y[v]! - 380) < Math.hypot(x[root]! - 500, y[root]! - 380)) root = v
  return { names: x.map((_, v) => `n${v}`), x, y, links, excluded: links.map(() => false), root }
}

export function worldOf(g: Graph): World {
  return {
    epoch: 1,
    n: g.x.length,
    m: g.links.length,
    ids: g.names.map((_, v) => `n${v}`),
    names: g.names,
    x: Float32Array.from(g.x),
    y: Float32Array.from(g.y),
    from: Uint32Array.from(g.links, (l) => l[0]),
    to: Uint32Array.from(g.links, (l) => l[1]),
    root: g.root,
    channels: ['weather'],
    quality: null,
  }
}

/** The overlay as it should be: breadth-first tree, Euler tour as ring; one for every part of the network. */
export interface Overlay {
  adjacent: number[][]
  parent: number[]
  depth: number[]
  /** Node at each position, per part. */
  ring: number[][]
  positions: number[][]
  part: number[]
}

export function overlayOf(
  g: Graph,
  dead: ReadonlySet<number>,
  deadLinks: ReadonlySet<number> = new Set(),
): Overlay {
  const n = g.x.length
  const adjacent: number[][] = Array.from({ length: n }, () => [])
  g.links.forEach(([a, b], k) => {
    if (g.excluded[k] || dead.has(a) || dead.has(b) || deadLinks.has(k)) return
    adjacent[a]!.push(b)
    adjacent[b]!.push(a)
  })
  for (const list of adjacent) list.sort((a, b) => a - b)
  const o: Overlay = {
    adjacent,
    parent: new Array<number>(n).fill(-1),
    depth: new Array<number>(n).fill(-1),
    ring: [],
    positions: Array.from({ length: n }, () => []),
    part: new Array<number>(n).fill(-1),
  }
  const children: number[][] = Array.from({ length: n }, () => [])
  const parts: number[][] = []
  for (const start of [g.root, ...Array.from({ length: n }, (_, v) => v)]) {
    if (o.depth[start] !== -1 || dead.has(start)) continue
    const queue = [start]
    o.depth[start] = 0
    for (let i = 0; i < queue.length; i++)
      for (const w of adjacent[queue[i]!]!)
        if (o.depth[w] === -1) {
          o.depth[w] = o.depth[queue[i]!]! + 1
          o.parent[w] = queue[i]!
          children[queue[i]!]!.push(w)
          queue.push(w)
        }
    parts.push(queue)
  }
  parts.sort((a, b) => b.length - a.length)
  parts.forEach((queue, p) => {
    for (const v of queue) o.part[v] = p
    const ring = [queue[0]!]
    const stack: [number, number][] = [[queue[0]!, 0]]
    while (stack.length) {
      const top = stack[stack.length - 1]!
      const child = children[top[0]]![top[1]++]
      if (child !== undefined) stack.push([child, 0])
      else stack.pop()
      const at = stack[stack.length - 1]?.[0]
      if (at !== undefined) ring.push(at)
    }
    // Back at the root the tour is closed: its last visit is position 0 again.
    if (ring.length > 1) ring.pop()
    o.ring[p] = ring
    ring.forEach((v, i) => o.positions[v]!.push(i))
  })
  return o
}

const between = (x: number, l: number, r: number, L: number): boolean =>
  l === r ? x !== l : (x - l + L) % L > 0 && (x - l + L) % L < (r - l + L) % L

interface Step {
  from: number
  to: number
  fromPos: number
  toPos: number
  hop: number
}

/** The corrected publishing rule, from `source` to `subscribers` on its ring. */
export function publish(o: Overlay, source: number, subscribers: ReadonlySet<number>): Step[] {
  const ring = o.ring[o.part[source]!] ?? []
  const L = ring.length
  const out: Step[] = []
  const first = o.positions[source]![0] ?? 0
  const queue = [{ v: source, at: first, end: first, hop: 0 }]
  for (let i = 0; i < queue.length && out.length < 2000; i++) {
    const { v, at, end, hop } = queue[i]!
    const own = o.positions[v]!
    own.forEach((p, k) => {
      if (!(p === at || at === end || between(p, at, end, L))) return
      const following = own[(k + 1) % own.length]!
      const stop = p === end || between(following, p, end, L) ? following : end
      let next = -1
      for (let d = 1; d <= L && next < 0; d++) {
        const x = (p + d) % L
        if (ring[x] !== v && subscribers.has(ring[x]!)) next = x
      }
      if (next < 0 || !between(next, p, stop, L)) return
      let goal = (p + 1) % L
      let best = 1
      for (const w of o.adjacent[v]!)
        for (const x of o.positions[w]!) {
          const d = (x - p + L) % L
          if (d > best && d <= (next - p + L) % L) [best, goal] = [d, x]
        }
      out.push({ from: v, to: ring[goal]!, fromPos: p, toPos: goal, hop })
      queue.push({ v: ring[goal]!, at: goal, end: stop, hop: hop + 1 })
    })
  }
  return out
}

/** Writes an overlay into the state's columns. */
export function fill(
  state: State,
  g: Graph,
  o: Overlay,
  subscribers: ReadonlySet<number>,
  wrong: ReadonlySet<number>,
): void {
  const n = g.x.length
  const values: number[] = []
  for (let v = 0; v < n; v++) {
    const alive = o.part[v]! >= 0
    state.flags[v] =
      (alive ? FLAG.alive : 0) |
      (subscribers.has(v) ? FLAG.subscriber : 0) |
      (alive && o.depth[v] === 0 ? FLAG.root : 0) |
      (wrong.has(v) ? FLAG.wrong(2) : 0)
    state.parent[v] = o.parent[v]!
    state.depth[v] = o.depth[v]!
    state.part[v] = o.part[v]!
    state.wants[v] = subscribers.has(v) ? 1 : 0
    state.ringLength[v] = o.ring[o.part[v]!]?.length ?? 0
    state.root[v] = o.ring[o.part[v]!]?.[0] ?? -1
    state.posStart[v] = values.length
    values.push(...o.positions[v]!)
  }
  state.posStart[n] = values.length
  state.pos = Int32Array.from(values)
  g.links.forEach((_, k) => {
    state.link[k] = LINK.forth | LINK.back | (g.excluded[k] ? 0 : LINK.acceptedForth | LINK.acceptedBack)
  })
  state.version++
}

export class FakeRun {
  readonly world: World
  readonly state: State
  readonly flights = createFlights(16_384)
  readonly subscribers = new Set<number>()
  readonly dead = new Set<number>()
  readonly wrong = new Set<number>()
  overlay: Overlay
  private readonly next = random(11)
  private publications = 0

  constructor(readonly graph: Graph) {
    this.world = worldOf(graph)
    this.state = createState(this.world.n, this.world.m)
    this.overlay = overlayOf(graph, this.dead)
    this.refresh()
  }

  refresh(): void {
    this.overlay = overlayOf(this.graph, this.dead)
    fill(this.state, this.graph, this.overlay, this.subscribers, this.wrong)
  }

  subscribe(count: number): void {
    while (this.subscribers.size < count) this.subscribers.add(Math.floor(this.next() * this.world.n))
    this.refresh()
  }

  /** Fails a node; whoever hung below it is wrong for now. */
  fail(node: number): number[] {
    const below: number[] = []
    for (let v = 0; v < this.world.n; v++) {
      let up = v
      while (up >= 0 && up !== node) up = this.overlay.parent[up]!
      if (up === node && v !== node) below.push(v)
    }
    this.dead.add(node)
    for (const v of below) this.wrong.add(v)
    this.refresh()
    for (const v of below) if (this.overlay.part[v] !== 0) this.wrong.delete(v)
    this.refresh()
    return below
  }

  /** Publishes at `t`, each hop taking `delay`; returns when the last one arrives. */
  publish(source: number, t: number, delay: number): number {
    const id = ++this.publications
    let end = t
    for (const s of publish(this.overlay, source, this.subscribers)) {
      const start = t + s.hop * delay
      pushFlight(this.flights, start, delay, s.from, s.to, s.fromPos, s.toPos, id, PUB)
      end = Math.max(end, start + delay)
    }
    this.state.flags[source]! |= FLAG.publisher
    this.state.version++
    return end
  }

  /** `count` messages on random links, somewhere along their flights at time 0 and in the air for a while. */
  scatter(count: number, flight: number): void {
    for (let i = 0; i < count; i++) {
      const k = Math.floor(this.next() * this.world.m)
      const turn = this.next() < 0.5
      const a = turn ? this.world.from[k]! : this.world.to[k]!
      const b = turn ? this.world.to[k]! : this.world.from[k]!
      const own = this.overlay.positions
      const kind = this.next() < 0.2 ? PUB : 1
      const start = -this.next() * flight * 0.6
      pushFlight(this.flights, start, flight, a, b, own[a]?.[0] ?? -1, own[b]?.[0] ?? -1, -1, kind)
    }
  }

  /** Subscriptions on their way from position to position, as a renewal sends them. */
  scatterSubscriptions(count: number, t: number, flight: number): void {
    const ring = this.overlay.ring[0] ?? []
    const off = [...this.wrong]
    for (let i = 0; i < count; i++) {
      const v = off[Math.floor(this.next() * off.length)] ?? 0
      const own = this.overlay.positions[v]!
      const p = own[Math.floor(this.next() * own.length)]
      if (p === undefined || ring.length < 2) continue
      const q = (p + ring.length - 1) % ring.length
      pushFlight(this.flights, t - this.next() * flight * 0.4, flight, v, ring[q]!, p, q, -1, 1)
    }
  }
}
