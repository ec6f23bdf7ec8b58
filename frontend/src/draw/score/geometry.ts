/** Where the lanes lie, and which virtual time is where along them. */
import type { Lane, ScoreGeometry } from '../types'

const AXIS = 18
const OVERVIEW = 34

/** The lanes of a score with so many layers, from the top: events, layers, deliveries, ticks, the whole run. */
export function scoreGeometry(layers: number, lane: number, phone = false, delivers = false): ScoreGeometry {
  let top = 0
  const take = (height: number, base: number): Lane => {
    const made = { top, height, base: top + base }
    top += height
    return made
  }
  const events = phone ? null : take(lane, lane / 2)
  const lanes = Array.from({ length: layers }, () => take(lane, lane - 4))
  // A share needs more room to be read than a count.
  const tall = phone ? lane : lane + 8
  const delivery = delivers ? take(tall, tall - 4) : null
  const axis = phone ? null : take(AXIS, 13)
  const overview = phone ? null : take(OVERVIEW, 24)
  return { events, layers: lanes, delivery, axis, overview, height: top }
}

export interface Window {
  from: number
  to: number
}

/** How much of the visible window lies ahead of now. */
const AHEAD = 0.1

/** The window that follows now: the first one until now nears its end, then now stays at nine tenths. */
export function following(now: number, span: number): Window {
  const to = Math.max(span, now + span * AHEAD)
  return { from: to - span, to }
}

/** A window moved and squeezed to lie in 0 … end, no shorter than `least`. */
export function clampWindow(w: Window, end: number, least = 0.5): Window {
  const span = Math.min(Math.max(w.to - w.from, least), Math.max(end, least))
  const from = Math.min(Math.max(0, w.from), Math.max(0, end - span))
  return { from, to: from + span }
}

/** A window `factor` times as long around the time `at`. */
export function stretched(w: Window, at: number, factor: number): Window {
  return { from: at - (at - w.from) * factor, to: at + (w.to - at) * factor }
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]

/** Seconds between ticks, so that they stand at least `apart` pixels from each other. */
export function tickSeconds(span: number, width: number, apart = 84): number {
  const least = (span / Math.max(1, width)) * apart
  return STEPS.find((s) => s >= least) ?? Math.ceil(least / 3600) * 3600
}

/** "85 s", "12:30" from ten minutes on. */
export function tickLabel(t: number, step: number): string {
  if (t >= 600 && step >= 1) {
    const s = Math.round(t)
    return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`
  }
  return `${step < 1 ? t.toFixed(1) : Math.round(t)} s`
}

/** Length of the whole run on the overview: planned, or a round number a little ahead of now. */
export function runLength(now: number, duration: number | null): number {
  const ahead = Math.max(now * 1.08, 30)
  if (duration !== null && duration >= now) return Math.max(duration, 1)
  for (let unit = 10; ; unit *= 10)
    for (const k of [1, 1.5, 2, 3, 5, 7]) if (unit * k >= ahead) return unit * k
}

/** Index of the first of `size` ascending times that is greater than `t`. */
export function firstAfter(times: ArrayLike<number>, size: number, t: number): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! > t) high = middle
    else low = middle + 1
  }
  return low
}
