/** From the summary of a sweep to what a chart shows: which points, under which names, in which order. */
import type { SweepDots, SweepPoint, SweepSpread, SweepSummary } from '../wire.gen'
import { spelled } from './dimensions'
import type { Dimension } from './dimensions'
import { plainAxes } from './document'
import type { SweepDocument } from './document'

export type ChartKind = 'lines' | 'box' | 'histogram' | 'ecdf' | 'heat'
export const CHARTS: readonly (readonly [ChartKind, string])[] = [
  ['lines', 'Means'],
  ['box', 'Boxes'],
  ['histogram', 'Histogram'],
  ['ecdf', 'ECDF'],
  ['heat', 'Heat map'],
]

/** What is shown, and along what. */
export interface View {
  chart: ChartKind
  metric: string
  x: string
  /** A line each; empty: one for all. */
  series: string
  /** A small chart each; empty: one chart. */
  facet: string
  /** Of the axes that are none of these: which value, by its number. */
  fixed: Record<string, number>
  logX: boolean
  logY: boolean
  dots: boolean
}

/** One point of the grid in a chart. */
export interface Cell {
  point: number
  /** Places along x, series and facet; 0 where there is none. */
  xi: number
  si: number
  fi: number
  spread: SweepSpread
}

/** Which directions a kind of chart has. */
export function rolesOf(view: View): { x: string; series: string; facet: string } {
  const along = view.chart === 'histogram' || view.chart === 'ecdf' ? '' : view.x
  const series = view.series === along ? '' : view.series
  const facet = view.facet === along || view.facet === series ? '' : view.facet
  return { x: along, series, facet }
}

/** What single runs come to, before the server has put anything together: means without intervals, which claim nothing. */
export function firstSummary(dots: SweepDots, dims: readonly Dimension[], metric: string): SweepSummary {
  const byPoint = new Map<number, { run: number; value: number }[]>()
  dots.point.forEach((point, i) => {
    const [run = -1, value = NaN] = [dots.run[i], dots.value[i]]
    const own = byPoint.get(point)
    if (own) own.push({ run, value })
    else byPoint.set(point, [{ run, value }])
  })
  const points = [...byPoint].map(([point, runs]): SweepPoint => {
    const sorted = runs.toSorted((a, b) => a.value - b.value)
    const spread: SweepSpread = {
      n: runs.length,
      mean: runs.reduce((sum, { value }) => sum + value, 0) / runs.length,
      sd: null,
      ci95_low: null,
      ci95_high: null,
      min: sorted[0]?.value ?? null,
      max: sorted.at(-1)?.value ?? null,
      q: [],
      median_run: sorted[sorted.length >> 1]?.run ?? null,
      worst_run: null,
    }
    return { point, values: valuesAt(point, dims), metrics: { [metric]: spread } }
  })
  return { runs_done: dots.of, runs_failed: 0, points, differences: [], truncated: false }
}

/** The values of the k-th point: the last axis changes fastest. */
function valuesAt(point: number, dims: readonly Dimension[]): SweepPoint['values'] {
  const values: SweepPoint['values'] = {}
  let rest = point
  for (const { key, values: all } of dims.toReversed()) {
    values[key] = all[rest % all.length] ?? null
    rest = Math.floor(rest / all.length)
  }
  return values
}

/** An axis has one place: what takes it from another gives that one what it had itself. */
export function put(view: View, role: 'x' | 'series' | 'facet', key: string): Partial<View> {
  const roles = rolesOf(view)
  const other = key && (['x', 'series', 'facet'] as const).find((r) => r !== role && roles[r] === key)
  return { series: roles.series, facet: roles.facet, ...(other ? { [other]: roles[role] } : {}), [role]: key }
}

/** What to show first: the axis with most numbers along x, what is compared as series. */
export function firstView(
  document: SweepDocument,
  dims: readonly Dimension[],
  metrics: readonly string[],
): View {
  const compared = dims.find(({ key }) => key === document.compare)
  const rest = dims.filter((d) => d !== compared)
  const x = longest(rest.filter((d) => d.numeric)) ?? longest(rest) ?? compared
  const others = rest.filter((d) => d !== x)
  const series = (compared === x ? undefined : compared) ?? others.find((d) => d.values.length <= 6)
  const log = x !== undefined && isLog(document, x.key)
  return {
    chart: 'lines',
    metric: metrics[0] ?? '',
    x: x?.key ?? '',
    series: series?.key ?? '',
    facet: '',
    fixed: {},
    logX: log,
    logY: false,
    dots: true,
  }
}

const longest = (dims: readonly Dimension[]): Dimension | undefined =>
  dims.reduce<Dimension | undefined>((a, b) => (a && a.values.length >= b.values.length ? a : b), undefined)

const isLog = (document: SweepDocument, path: string): boolean =>
  document.axes.some((axis) =>
    plainAxes(axis).some((a) => a.path === path && 'scale' in a && a.scale === 'log'),
  )

/** Axes that a chart does not show, and the value each is held at. */
export function heldBy(view: View, dims: readonly Dimension[]): { dim: Dimension; at: number }[] {
  const { x, series, facet } = rolesOf(view)
  return dims
    .filter(({ key }) => key !== x && key !== series && key !== facet)
    .map((dim) => ({ dim, at: Math.min(view.fixed[dim.key] ?? 0, dim.values.length - 1) }))
}

/** The points that a view shows, along x. */
export function cellsOf(summary: SweepSummary, dims: readonly Dimension[], view: View): Cell[] {
  const roles = rolesOf(view)
  const held = heldBy(view, dims)
  const place = places(dims)
  return summary.points
    .flatMap((point): Cell[] => {
      const spread = point.metrics[view.metric]
      if (!spread || !held.every(({ dim, at }) => place(point, dim.key) === at)) return []
      const [xi, si, fi] = [roles.x, roles.series, roles.facet].map((key) => (key ? place(point, key) : 0))
      if (xi === undefined || si === undefined || fi === undefined || xi < 0 || si < 0 || fi < 0) return []
      return [{ point: point.point, xi, si, fi, spread }]
    })
    .toSorted((a, b) => a.fi - b.fi || a.si - b.si || a.xi - b.xi)
}

/** Finds the place of a point's value along an axis; -1: it is not one of them. */
function places(dims: readonly Dimension[]): (point: SweepPoint, key: string) => number {
  const index = new Map(dims.map((d) => [d.key, new Map(d.values.map((v, i) => [spelled(v), i]))]))
  return (point, key) => index.get(key)?.get(spelled(point.values[key])) ?? -1
}

/** Where a run stands among those of its point: counted from the best; of as many. */
export function rankOf(value: number, all: readonly number[], better: 'less' | 'more' | null): number {
  const before = all.filter((v) => (better === 'more' ? v > value : v < value)).length
  return before + 1
}

/** How many of a sample lie in each of `bins` equal stretches between the outermost. */
export function binned(
  values: readonly number[],
  bins: number,
): { lo: number; hi: number; counts: number[] } {
  const lo = Math.min(...values)
  const hi = Math.max(...values)
  const counts = Array.from({ length: bins }, () => 0)
  for (const v of values) {
    const at = hi > lo ? Math.min(bins - 1, Math.floor(((v - lo) / (hi - lo)) * bins)) : 0
    counts[at] = (counts[at] ?? 0) + 1
  }
  return { lo, hi, counts }
}
