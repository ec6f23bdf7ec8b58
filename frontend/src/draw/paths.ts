/** Follows publications through the messages in flight: the path of the latest stays until the next one begins. */
import { flightSlot, type Flights, type Losses, type MessageKind } from '../model'

export interface Hop {
  from: number
  to: number
  fromPos: number
  toPos: number
  start: number
  end: number
  lost: boolean
  slot: number
}

/** The path of a lost message is drawn to this share of its way. */
export const LOST_AT = 0.8

/** Paths kept: the current one and a few older ones, which are drawn thin. */
const KEPT = 4
/** A path longer than this is a runaway; drawing more of it tells nothing. */
const LONGEST = 4000

export class Paths {
  /** Publication number → its hops, in the order of sending; insertion order is age. */
  private readonly hops = new Map<number, Hop[]>()
  private readonly got = new Map<number, Set<number>>()
  private chosen: number | null = null
  private latest: number | null = null
  private head = 0
  private size = 0
  /** Raised with every new hop or delivery. */
  version = 0
  /** The longest flight seen, virtual s: how far back to look for what is in the air. */
  longest = 0
  /** When the last hop known so far arrives. */
  lastArrival = -Infinity

  /** Takes in what was pushed since the last call; the latest publication is the last one begun by `now`. */
  read(f: Flights, kinds: readonly MessageKind[], now: number): void {
    if (f.size < this.size) this.forget()
    const fresh = Math.min(f.size, (f.head - this.head + f.capacity) % f.capacity)
    for (let i = f.size - fresh; i < f.size; i++) {
      const k = flightSlot(f, i)
      this.longest = Math.max(this.longest, f.flight[k]!)
      const publication = f.publication[k]!
      if (publication < 0 || kinds[f.kind[k]!]?.shape !== 'publication') continue
      this.add(publication, {
        from: f.from[k]!,
        to: f.to[k]!,
        fromPos: f.fromPos[k]!,
        toPos: f.toPos[k]!,
        start: f.start[k]!,
        end: f.start[k]! + f.flight[k]!,
        lost: f.lost[k] === 1,
        slot: k,
      })
    }
    this.head = f.head
    this.size = f.size
    this.noticeLosses(f)
    let latest: number | null = null
    for (const [p, list] of this.hops) if (list[0] && list[0].start <= now) latest = p
    if (latest !== this.latest) this.version++
    this.latest = latest
  }

  private add(publication: number, hop: Hop): void {
    let list = this.hops.get(publication)
    if (!list) {
      this.hops.set(publication, (list = []))
      for (const old of this.hops.keys()) {
        if (this.hops.size <= KEPT) break
        if (old !== this.chosen) this.hops.delete(old)
      }
    }
    if (list.length < LONGEST) list.push(hop)
    this.lastArrival = Math.max(this.lastArrival, hop.end)
    this.version++
  }

  /** Drops are reported after the send: look again at hops whose slot still holds them. */
  private noticeLosses(f: Flights): void {
    const list = this.hops.get(this.current ?? -1)
    if (!list) return
    for (let i = list.length - 1; i >= Math.max(0, list.length - 200); i--) {
      const hop = list[i]!
      if (
        !hop.lost &&
        f.lost[hop.slot] === 1 &&
        f.start[hop.slot] === hop.start &&
        f.to[hop.slot] === hop.to
      ) {
        hop.lost = true
        this.version++
      }
    }
  }

  /** Shows this publication until told otherwise; null: always the latest. */
  choose(publication: number | null): void {
    if (publication === this.chosen) return
    this.chosen = publication
    this.version++
  }

  get current(): number | null {
    return this.chosen ?? this.latest
  }

  /** The path shown thick. */
  get path(): readonly Hop[] {
    return this.hops.get(this.current ?? -1) ?? []
  }

  /** The paths shown thin, oldest first. */
  get older(): (readonly Hop[])[] {
    const now = this.current
    return [...this.hops].filter(([p]) => p !== now).map(([, list]) => list)
  }

  /** Who published the current publication, -1 when unknown. */
  get publisher(): number {
    return this.path[0]?.from ?? -1
  }

  deliver(node: number, publication: number): void {
    let set = this.got.get(publication)
    if (!set) {
      this.got.set(publication, (set = new Set()))
      for (const old of this.got.keys()) {
        if (this.got.size <= KEPT) break
        this.got.delete(old)
      }
    }
    if (set.has(node)) return
    set.add(node)
    this.version++
  }

  /** Who got the current publication. */
  get delivered(): ReadonlySet<number> {
    return this.got.get(this.current ?? -1) ?? NOBODY
  }

  forget(): void {
    this.hops.clear()
    this.got.clear()
    this.head = this.size = 0
    this.latest = null
    this.lastArrival = -Infinity
    this.version++
  }
}

const NOBODY: ReadonlySet<number> = new Set<number>()

/** A message worth painting: slot, how far along it is (0 … 1), how strongly (1 in the air, less when it has just arrived). */
export type VisitFlight = (slot: number, u: number, strength: number) => void

/** A flight too short to be seen keeps a glow at its end for so long, in wall seconds. */
const GLOW = 0.12

/** A message that belongs to no publication, a token, stays where it arrived until it leaves, at most so long; virtual s. */
const REST = 1.5

/** Visits what is in the air at `now`, and what arrived so recently that the eye would have missed it. */
export function visitFlights(
  f: Flights,
  now: number,
  speed: number,
  longest: number,
  kinds: readonly MessageKind[],
  visit: VisitFlight,
): void {
  const glow = GLOW * speed
  /** Nodes that a token has left since. */
  const left = new Set<number>()
  for (let i = f.size - 1; i >= 0; i--) {
    const k = flightSlot(f, i)
    const start = f.start[k]!
    if (start > now) continue
    if (start + longest + Math.max(glow, REST) < now) break
    const flight = f.flight[k]!
    const late = now - start - flight
    const token = f.publication[k]! < 0 && kinds[f.kind[k]!]?.shape === 'publication'
    const rests = token && late < REST && !f.lost[k] && !left.has(f.to[k]!)
    if (token) left.add(f.from[k]!)
    if (late <= 0) visit(k, flight > 0 ? (now - start) / flight : 1, 1)
    else if (rests) visit(k, 1, 1)
    else if (!f.lost[k]) {
      const after = Math.max(0, glow - flight)
      if (late < after) visit(k, 1, 1 - late / after)
    }
  }
}

/** How long a loss can be seen, wall seconds. */
const BURST = 0.5

/** Visits what was lost so recently that it can be seen: slot, and how much of its burst is over (0 … 1). */
export function visitLosses(
  l: Losses,
  now: number,
  speed: number,
  visit: (slot: number, u: number) => void,
): void {
  const span = BURST * speed
  for (let i = l.size - 1; i >= 0; i--) {
    const k = flightSlot(l, i)
    const late = now - l.t[k]!
    // Losses are reported in the order of time, structure after traffic: a frame's worth may be out of order.
    if (late > span + 1) break
    if (late >= 0 && late < span) visit(k, late / span)
  }
}
