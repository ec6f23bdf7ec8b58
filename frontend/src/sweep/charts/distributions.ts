/** How runs are distributed: bars of shares, and steps from the least value to the greatest. */
import { binned } from '../results'
import type { Cell } from '../results'
import type { Bin, ChartSpec, Dot } from './spec'

const BINS = 24

/** From percentiles: between two of them lies one per cent of the runs. */
export function stepsOf({ spread, si, fi }: Cell, unit: number): Bin[] {
  const q = (spread.q ?? []).filter((v) => v !== null)
  if (q.length < 2) return []
  return q.map((v, i) => {
    const next = q[i + 1] ?? v
    return { from: v * unit, to: next * unit, share: (100 * i) / (q.length - 1), s: si, f: fi }
  })
}

/** Bars of a share each, and every dot within the bar that it counts for. */
export function histogram(dots: readonly Dot[]): Pick<ChartSpec, 'bins' | 'dots'> {
  if (!dots.length) return { bins: [], dots: [] }
  const { lo, hi } = binned(
    dots.map((d) => d.y),
    1,
  )
  const width = hi > lo ? (hi - lo) / BINS : 1
  const at = (v: number): number => (hi > lo ? Math.min(BINS - 1, Math.floor((v - lo) / width)) : 0)
  const totals = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const d of dots) {
    const own = `${d.s}/${d.f}`
    totals.set(own, (totals.get(own) ?? 0) + 1)
    counts.set(`${own}/${at(d.y)}`, (counts.get(`${own}/${at(d.y)}`) ?? 0) + 1)
  }
  const bins = [...counts].map(([key, n]): Bin => {
    const [s = 0, f = 0, bin = 0] = key.split('/').map(Number)
    const from = lo + bin * width
    return { from, to: from + width, share: (100 * n) / (totals.get(`${s}/${f}`) ?? 1), s, f }
  })
  const stacked = new Map<string, number>()
  const within = dots.map((d): Dot => {
    const own = `${d.s}/${d.f}`
    const key = `${own}/${at(d.y)}`
    const k = stacked.get(key) ?? 0
    stacked.set(key, k + 1)
    return { ...d, x: d.y, y: (100 * (k + 0.5)) / (totals.get(own) ?? 1), aside: 0 }
  })
  return { bins, dots: within }
}

/** Whether every run that has a value is there. */
export const complete = (cells: readonly Cell[], dots: readonly Dot[]): boolean =>
  dots.length >= cells.reduce((n, c) => n + c.spread.n, 0)

function grouped(dots: readonly Dot[]): Dot[][] {
  const groups = new Map<string, Dot[]>()
  for (const d of dots) {
    const group = groups.get(`${d.s}/${d.f}`)
    if (group) group.push(d)
    else groups.set(`${d.s}/${d.f}`, [d])
  }
  return [...groups.values()].map((all) => all.toSorted((a, b) => a.y - b.y))
}

/** From the runs themselves, where all of them are known: each is a step. */
export function climbed(dots: readonly Dot[]): Bin[] {
  return grouped(dots).flatMap((all) => {
    const step = (i: number): Bin => {
      const { y, s, f } = all[Math.max(0, i)] as Dot
      return { from: y, to: all[i + 1]?.y ?? y, share: (100 * (i + 1)) / all.length, s, f }
    }
    return [step(-1), ...all.map((_, i) => step(i))]
  })
}

export const onTheCurve = (dots: readonly Dot[]): Dot[] =>
  grouped(dots).flatMap((all) =>
    all.map((d, i): Dot => ({ ...d, x: d.y, y: (100 * (i + 1)) / all.length, aside: 0 })),
  )
