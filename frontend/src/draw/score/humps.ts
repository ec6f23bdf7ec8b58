/** Samples of a layer's curve, reduced to what can be seen: stretches in which it was wrong. */
import { firstAfter } from './geometry'

/** A stretch in which something was wrong: times and counts, rising from and returning to the base line. */
export interface Hump {
  t: number[]
  wrong: number[]
  peak: number
  /** Wrong to the end of what is known. */
  open: boolean
}

/**
 * The humps of `wrong` over the ascending times `t`, between `from` and `to`.
 *
 * Of samples closer than `resolution` seconds only the largest is kept. A hump starts where the first wrong sample is
 * and ends at the first sample that is right again; between samples it is drawn straight.
 */
export function humps(
  t: ArrayLike<number>,
  wrong: ArrayLike<number>,
  size: number,
  from: number,
  to: number,
  resolution: number,
): Hump[] {
  const out: Hump[] = []
  let hump: Hump | null = null
  const first = Math.max(0, firstAfter(t, size, from) - 1)
  const last = Math.min(size - 1, firstAfter(t, size, to))
  for (let i = first; i <= last; i++) {
    const time = t[i]!
    const value = wrong[i]!
    if (!hump && time > to) break
    if (value > 0) {
      hump ??= { t: [time], wrong: [0], peak: 0, open: true }
      const n: number = hump.t.length - 1
      if (n > 1 && time - hump.t[n]! < resolution && i < last) hump.wrong[n] = Math.max(hump.wrong[n]!, value)
      else {
        hump.t.push(time)
        hump.wrong.push(value)
      }
      hump.peak = Math.max(hump.peak, value)
    } else if (hump) {
      hump.t.push(time)
      hump.wrong.push(0)
      hump.open = false
      out.push(hump)
      hump = null
    }
  }
  if (hump) out.push(hump)
  return out
}

/** The most of `wrong` between two times, their neighbouring samples included. */
export function peakIn(
  t: ArrayLike<number>,
  wrong: ArrayLike<number>,
  size: number,
  from: number,
  to: number,
): number {
  let peak = 0
  for (let i = Math.max(0, firstAfter(t, size, from) - 1); i < size && t[i]! <= to; i++)
    peak = Math.max(peak, wrong[i]!)
  return peak
}

/** The value in force at a time: that of the latest sample before it; null before the first. */
export function valueAt(
  t: ArrayLike<number>,
  wrong: ArrayLike<number>,
  size: number,
  at: number,
): number | null {
  const i = firstAfter(t, size, at) - 1
  return i < 0 ? null : wrong[i]!
}
