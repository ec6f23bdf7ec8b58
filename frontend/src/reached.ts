/**
 * Which share of those expected got the publications of the last minute, at any time of the run.
 *
 * What became of a publication is put down to the moment it was published, so the curve over the past changes as long as
 * something of it is under way: that does not count until it has arrived, or has had time enough.
 */
import type { Publication, Reached as ReachedMessage } from './wire.gen'

/** How far back a value looks, virtual s. */
export const LOOK_BACK = 60
/** Time enough, virtual s. */
const PATIENCE = 5
const MOST = 4000

export interface Share {
  publications: number
  expected: number
  reached: number
}

export class Reached {
  /** Number of the first publication kept; they are numbered without gaps. */
  private first = 1
  private t: number[] = []
  private expected: number[] = []
  private reached: number[] = []

  get size(): number {
    return this.t.length
  }

  /** Everything anew, as the server has it. */
  restart({ first, t, expected, reached }: ReachedMessage): void {
    this.first = first
    this.t = [...t]
    this.expected = [...expected]
    this.reached = [...reached]
  }

  note({
    number,
    t,
    expected,
    delivered,
  }: Pick<Publication, 'number' | 't' | 'expected' | 'delivered'>): void {
    if (!this.t.length) this.first = number
    const at = number - this.first
    if (at < 0) return
    // Numbers missed while the connection was slow count as nothing.
    while (this.t.length < at) this.add(t, 0, 0)
    const reached = expected.filter((id) => delivered[id] !== undefined).length
    if (at === this.t.length) this.add(t, expected.length, reached)
    else [this.expected[at], this.reached[at]] = [expected.length, reached]
    if (this.t.length > MOST) this.drop(MOST >> 1)
  }

  private add(t: number, expected: number, reached: number): void {
    this.t.push(t)
    this.expected.push(expected)
    this.reached.push(reached)
  }

  private drop(count: number): void {
    for (const column of [this.t, this.expected, this.reached]) column.splice(0, count)
    this.first += count
  }

  /** The share at each of the ascending `times`, as known at `now`; null: nothing was published in the minute before. */
  over(times: ArrayLike<number>, now: number): (Share | null)[] {
    const { t, expected, reached } = this
    const sum: Share = { publications: 0, expected: 0, reached: 0 }
    const count = (i: number, sign: number): void => {
      const wanted = expected[i] ?? 0
      const got = reached[i] ?? 0
      if (!wanted || (got < wanted && now - (t[i] ?? 0) < PATIENCE)) return
      sum.publications += sign
      sum.expected += sign * wanted
      sum.reached += sign * got
    }
    let [from, to] = [0, 0]
    return Array.from(times, (time) => {
      while (to < t.length && (t[to] ?? 0) <= time) count(to++, 1)
      while (from < to && (t[from] ?? 0) <= time - LOOK_BACK) count(from++, -1)
      return sum.expected > 0 ? { ...sum } : null
    })
  }

  at(time: number, now = time): Share | null {
    return this.over([time], now)[0] ?? null
  }

  /** In words, why there is no share: what became of the publications of the last minute. */
  why(now: number): string {
    const from = this.t.findIndex((t) => t > now - LOOK_BACK)
    if (from < 0) return 'no publication'
    return this.expected.slice(from).some(Boolean) ? 'on its way' : 'nobody waits'
  }
}
