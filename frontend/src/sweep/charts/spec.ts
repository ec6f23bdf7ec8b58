/** What a chart shows, as plain rows: everything but pixels and colours. */
import type { SweepDots } from '../../wire.gen'
import { heading, say, spread as interval } from '../measures'
import type { Measure } from '../measures'
import { sentence } from '../../format'
import { alone } from '../dimensions'
import type { Dimension } from '../dimensions'
import type { Cell, ChartKind, View } from '../results'
import { climbed, complete, histogram, onTheCurve, stepsOf } from './distributions'

export interface Mean {
  x: number
  y: number
  low: number
  high: number
  s: number
  f: number
}
export interface Box {
  x: number
  s: number
  f: number
  /** Percentiles 5, 25, 50, 75, 95. */
  q: [number, number, number, number, number]
}
export interface Dot {
  x: number
  y: number
  run: number
  s: number
  f: number
  /** −½ … ½: keeps dots of one value apart, the same at every drawing. */
  aside: number
}
/** One stretch of a histogram, or one step of a distribution. */
export interface Bin {
  from: number
  to: number
  /** %, of the series' runs */
  share: number
  s: number
  f: number
}
export interface Tile {
  x: number
  y: number
  mean: number
  label: string
  run: number | null
  f: number
}

export interface Scale {
  label: string
  log: boolean
  /** What stands at 0, 1, …, where there are no numbers. */
  names: string[] | null
  /** Where ticks are wanted; null: wherever they fall. */
  at: number[] | null
  /** Lowest and highest value. */
  extent: [number, number] | null
}

export interface ChartSpec {
  kind: ChartKind
  x: Scale
  y: Scale
  /** Names by number; empty: one line for all. */
  series: string[]
  facets: string[]
  means: Mean[]
  boxes: Box[]
  bins: Bin[]
  steps: Bin[]
  tiles: Tile[]
  dots: Dot[]
  /** Value as the axis has it: shares in per cent. */
  unit: number
  say: (value: number) => string
  /** "6.08 ± 0.42" */
  spread: (mean: number, half: number) => string
}

interface Given {
  view: View
  cells: readonly Cell[]
  dots: SweepDots | null
  measure: Measure
  x: Dimension | null
  series: Dimension | null
  facet: Dimension | null
}

const MOST_TICKS = 24

export function specOf(given: Given): ChartSpec {
  const { view, cells, measure, x, series, facet } = given
  const unit = measure.unit === '%' ? 100 : 1
  const outcome: Scale = { label: label(measure), log: view.logY, names: null, at: null, extent: null }
  const spec: ChartSpec = {
    kind: view.chart,
    x: alongX(x, view.logX),
    y: outcome,
    series: series ? alone(series) : [],
    facets: facet ? alone(facet).map(sentence) : [],
    means: [],
    boxes: [],
    bins: [],
    steps: [],
    tiles: [],
    dots: [],
    unit,
    say: (value) => say(value / unit, measure),
    spread: (mean, half) =>
      interval(mean / unit, half / unit, measure)
        .filter(Boolean)
        .join(' ± '),
  }
  const place = (cell: Cell): number => (x ? (x.numeric ? Number(x.values[cell.xi]) : cell.xi) : 0)
  const dots = dotsOf(given, place, unit)
  switch (view.chart) {
    case 'lines':
      spec.means = cells.flatMap((c) => meanOf(c, place(c), unit))
      spec.dots = view.dots ? dots : []
      break
    case 'box':
      spec.boxes = cells.flatMap((c) => boxOf(c, place(c), unit))
      spec.dots = view.dots ? dots : []
      break
    case 'histogram':
      spec.x = { ...outcome, log: false }
      spec.y = { ...PERCENT, label: 'share of runs (%)' }
      Object.assign(spec, histogram(dots))
      if (!view.dots) spec.dots = []
      break
    case 'ecdf':
      spec.x = { ...outcome, log: view.logX }
      spec.y = { ...PERCENT, label: 'runs that came to no more (%)', extent: [0, 100] }
      spec.steps = complete(cells, dots) ? climbed(dots) : cells.flatMap((c) => stepsOf(c, unit))
      spec.dots = view.dots ? onTheCurve(dots) : []
      break
    case 'heat':
      spec.y = {
        label: series?.title ?? '',
        log: false,
        names: series?.names ?? [''],
        at: null,
        extent: null,
      }
      spec.x = { ...alongX(x, false), names: x?.names ?? [''], at: null }
      spec.tiles = cells.flatMap((c) => tileOf(c, unit, spec.say))
      spec.series = []
  }
  if (spec.y.log) keepPositive(spec)
  if (spec.kind === 'ecdf' && spec.x.log) {
    spec.steps = spec.steps.filter((b) => b.from > 0)
    spec.dots = spec.dots.filter((d) => d.x > 0)
  }
  return spec
}

const PERCENT: Scale = { label: '', log: false, names: null, at: null, extent: null }

const label = (measure: Measure): string =>
  measure.unit === '%' ? `${measure.title} (%)` : heading(measure).replace(/^./, (c) => c.toLowerCase())

function alongX(x: Dimension | null, log: boolean): Scale {
  if (!x) return { label: '', log: false, names: [''], at: null, extent: null }
  const along = x.along.length ? `, with ${x.along.join(', ')}` : ''
  const title = `${x.title}${x.unit ? ` (${x.unit})` : ''}${along}`
  if (!x.numeric) return { label: title, log: false, names: x.names, at: null, extent: null }
  const values = x.values.map(Number)
  return {
    label: title,
    log: log && values.every((v) => v > 0),
    names: null,
    at: values.length <= MOST_TICKS ? values : null,
    extent: [Math.min(...values), Math.max(...values)],
  }
}

function meanOf({ spread, si, fi }: Cell, x: number, unit: number): Mean[] {
  if (spread.mean === null) return []
  const [low, high] = [spread.ci95_low ?? spread.mean, spread.ci95_high ?? spread.mean]
  return [{ x, y: spread.mean * unit, low: low * unit, high: high * unit, s: si, f: fi }]
}

function boxOf({ spread, si, fi }: Cell, x: number, unit: number): Box[] {
  const q = [5, 25, 50, 75, 95].map((p) => spread.q?.[p])
  if (q.some((v) => v === null || v === undefined)) return []
  return [{ x, s: si, f: fi, q: q.map((v) => Number(v) * unit) as Box['q'] }]
}

function tileOf({ spread, xi, si, fi }: Cell, unit: number, words: (v: number) => string): Tile[] {
  if (spread.mean === null) return []
  const mean = spread.mean * unit
  return [{ x: xi, y: si, mean, label: words(mean).replace(/ \D+$/, ''), run: spread.median_run, f: fi }]
}

function dotsOf({ cells, dots }: Given, place: (c: Cell) => number, unit: number): Dot[] {
  if (!dots) return []
  const byPoint = new Map(cells.map((c) => [c.point, c]))
  return dots.run.flatMap((run, i): Dot[] => {
    const cell = byPoint.get(dots.point[i] ?? -1)
    const value = dots.value[i]
    if (!cell || value === undefined || !Number.isFinite(value)) return []
    return [{ x: place(cell), y: value * unit, run, s: cell.si, f: cell.fi, aside: asideOf(run) }]
  })
}

/** Spread evenly whatever the numbers: multiples of the golden ratio. */
const asideOf = (run: number): number => ((run * 0.6180339887498949) % 1) - 0.5

/** A logarithmic axis has no place for nothing. */
function keepPositive(spec: ChartSpec): void {
  spec.means = spec.means.filter((m) => m.y > 0).map((m) => ({ ...m, low: m.low > 0 ? m.low : m.y }))
  spec.boxes = spec.boxes.filter((b) => b.q[0] > 0)
  spec.dots = spec.dots.filter((d) => d.y > 0)
}
