/** Which stretch of the run the lanes show: it follows now, until the user looks elsewhere. Moves nothing but the view. */
import { clampWindow, following, runLength, stretched, type Window } from './geometry'

/** Seconds that a new score shows. */
const SPAN = 33
const SHORTEST = 1
const LONGEST = 3600
/** How near an edge of the window must be taken hold of, px. */
const EDGE = 6

/** What is held while dragging: the lanes, the window on the overview, or one of its edges. */
export interface Grip {
  what: 'lanes' | 'brush' | 'from' | 'to'
  x: number
  window: Window
}

export class Looking {
  window: Window = { from: 0, to: SPAN }
  follows = true
  now = 0
  duration: number | null = null
  private span = SPAN

  constructor(private readonly changed: (window: Window, follows: boolean) => void) {}

  /** Seconds that the overview shows. */
  get length(): number {
    return runLength(this.now, this.duration)
  }

  /** The time shown is now. */
  advance(now: number): void {
    this.now = now
    if (this.follows) this.set(following(now, this.span), true)
  }

  /** Back to now, which the window then keeps in sight. */
  follow(): void {
    this.set(following(this.now, this.span), true)
  }

  /** The user looks elsewhere; looking at now again means following it. */
  look(w: Window): void {
    const span = w.to - w.from
    const inside = clampWindow(w, Math.max(this.length, this.now + span * 0.1), SHORTEST)
    if (inside.to - inside.from > LONGEST) return
    const ahead = inside.to - this.now
    const near = ahead >= 0 && inside.from <= this.now && ahead <= (inside.to - inside.from) * 0.12
    this.set(inside, near && this.now > this.span)
  }

  shift(seconds: number): void {
    const { from, to } = this.window
    this.look({ from: from + seconds, to: to + seconds })
  }

  /** Shows a stretch `factor` times as long around the time `at`; while following, now is what stays in place. */
  zoom(at: number, factor: number): void {
    const to = stretched(this.window, at, factor)
    if (!this.follows) this.look(to)
    else {
      this.span = Math.min(LONGEST, Math.max(SHORTEST, to.to - to.from))
      this.follow()
    }
  }

  /** Whether x is at an edge of the window on an overview of this width. */
  edgeAt(x: number, width: number): 'from' | 'to' | null {
    const k = width / this.length
    const [left, right] = [this.window.from * k, this.window.to * k]
    if (right - left <= 3 * EDGE) return null
    return Math.abs(x - left) < EDGE ? 'from' : Math.abs(x - right) < EDGE ? 'to' : null
  }

  /** Takes hold of the overview at x; beside the window, the window jumps there first. */
  gripOverview(x: number, width: number): Grip {
    const edge = this.edgeAt(x, width)
    if (edge) return { what: edge, x, window: this.window }
    const { from, to } = this.window
    const at = (x / width) * this.length
    if (at < from || at > to) this.look({ from: at - (to - from) / 2, to: at + (to - from) / 2 })
    return { what: 'brush', x, window: this.window }
  }

  drag(grip: Grip, x: number, width: number): void {
    const { from, to } = grip.window
    const share = (x - grip.x) / width
    const onRun = share * this.length
    const inWindow = share * (to - from)
    if (grip.what === 'lanes') this.look({ from: from - inWindow, to: to - inWindow })
    else if (grip.what === 'brush') this.look({ from: from + onRun, to: to + onRun })
    else if (grip.what === 'from') this.look({ from: Math.min(from + onRun, to - SHORTEST), to })
    else this.look({ from, to: Math.max(to + onRun, from + SHORTEST) })
  }

  /** True when the key meant something here. */
  key(key: string): boolean {
    const { from, to } = this.window
    const middle = this.follows ? this.now : (from + to) / 2
    switch (key) {
      case 'ArrowLeft':
        this.shift((from - to) / 10)
        return true
      case 'ArrowRight':
        this.shift((to - from) / 10)
        return true
      case 'Home':
        this.look({ from: 0, to: to - from })
        return true
      case 'End':
        this.follow()
        return true
      case '+':
      case '=':
        this.zoom(middle, 1 / 1.4)
        return true
      case '-':
        this.zoom(middle, 1.4)
        return true
      default:
        return false
    }
  }

  private set(w: Window, follows: boolean): void {
    const same = w.from === this.window.from && w.to === this.window.to && follows === this.follows
    this.window = w
    this.follows = follows
    this.span = w.to - w.from
    if (!same) this.changed(w, follows)
  }
}
