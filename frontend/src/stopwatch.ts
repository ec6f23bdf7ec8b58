/**
 * What the largest text on the page says: how long it has been growing or healing, and since when all is well.
 *
 * Fed with what happened (faults and other commands) and with samples (is anything wrong?), in the order of time. The
 * watch starts with the cause, stops when nothing is wrong any more, and runs on from the same start if something soon
 * turns wrong again without a new cause: one fault may ripple through the layers one after the other.
 */
export interface Cause {
  t: number
  /** When it is over, of what lasts: a burst of losses, a storm. */
  end?: number | undefined
  who: string
  past: string
  kind: string
}

export interface Reading {
  phase: 'growing' | 'healing' | 'legitimate'
  /** What set it off; null while growing from nothing, and where nothing is known that could have. */
  cause: Cause | null
  /** Further causes since. */
  more: number
  start: number
  /** When all was well again; null: not yet. */
  stop: number | null
}

/** Virtual s in which one fault ripples through the layers, and in which silence is noticed. */
const RIPPLES = 10
/** Virtual s in which what happens in an instant does its harm, or none. */
const AT_ONCE = 1

const BREAKS: ReadonlySet<string> = new Set(['fault', 'corrupt', 'storm', 'loss'])

export class Stopwatch {
  private reading: Reading = { phase: 'growing', cause: null, more: 0, start: 0, stop: null }
  /** Causes since the watch stopped: one of them may turn out to matter. */
  private waiting: Cause[] = []

  read(): Readonly<Reading> {
    return this.reading
  }

  /** Something happened. What happens at the very start belongs to growing. */
  cause(cause: Cause): void {
    // Publishing changes no variable of a layer: whatever turns wrong then has another cause.
    if (cause.t <= 0 || cause.kind === 'publish') return
    const { reading } = this
    if (reading.stop !== null) {
      this.waiting.push(cause)
      if (this.waiting.length > 64) this.waiting.shift()
    } else if (reading.phase === 'healing') this.reading = { ...reading, more: reading.more + 1 }
    else if (BREAKS.has(cause.kind))
      this.reading = { phase: 'healing', cause, more: 0, start: cause.t, stop: null }
  }

  /** Whether anything was wrong at t. */
  sample(t: number, wrong: boolean): void {
    const { reading, waiting } = this
    if (wrong && reading.stop !== null) {
      const recent = waiting.filter((cause) => t - cause.t < AT_ONCE)
      const [cause, ...rest] = recent.length ? recent : waiting
      if (cause) {
        // What lasts may do no harm for long: then the time counts from when it does.
        const start = t - cause.t < RIPPLES ? cause.t : t
        this.reading = { phase: 'healing', cause, more: rest.length, start, stop: null }
      } else if (t - reading.stop < RIPPLES)
        this.reading = { ...reading, phase: reading.start ? 'healing' : 'growing', stop: null }
      else this.reading = { phase: 'healing', cause: null, more: 0, start: t, stop: null }
      this.waiting = []
    } else if (!wrong && reading.stop === null) {
      this.reading = { ...reading, phase: 'legitimate', stop: t }
      this.waiting = []
    } else if (!wrong && waiting.length) {
      // What did no harm within a second, or soon after it was over, is not to blame for what comes later.
      this.waiting = waiting.filter(({ t: began, end }) =>
        end === undefined ? t - began < AT_ONCE : t - end < RIPPLES,
      )
    }
  }
}
