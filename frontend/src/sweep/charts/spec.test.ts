import { describe, expect, it } from 'vitest'
import type { SweepDots, SweepSpread } from '../../wire.gen'
import { measureOf } from '../measures'
import type { Dimension } from '../dimensions'
import type { Cell, ChartKind, View } from '../results'
import { wrapped } from './export'
import { specOf } from './spec'
import type { ChartSpec } from './spec'
import { outline } from './style'

const spread = (mean: number): SweepSpread => ({
  n: 1,
  mean,
  sd: 1,
  ci95_low: mean - 0.1,
  ci95_high: mean + 0.1,
  min: mean - 1,
  max: mean + 1,
  q: Array.from({ length: 101 }, (_, i) => mean - 0.5 + i / 100),
  median_run: 1,
  worst_run: 2,
})
const cells: Cell[] = [0, 1].flatMap((si) =>
  [0, 1].map((xi) => ({ point: 2 * si + xi, xi, si, fi: 0, spread: spread(2 + si + xi) })),
)
const degree: Dimension = {
  key: 'd',
  title: 'Degree',
  unit: 'links',
  along: [],
  numeric: true,
  values: [8, 16],
  names: ['8', '16'],
}
const protocol: Dimension = {
  key: 'p',
  title: 'Protocol',
  along: [],
  unit: '',
  numeric: false,
  values: ['A', 'B'],
  names: ['A', 'B'],
}
const dots: SweepDots = {
  run: [0, 1, 2, 3, 4, 5],
  point: [0, 0, 0, 1, 3, 9],
  seed: [1, 2, 3, 1, 1, 1],
  value: [1, 2, 3, 2.5, 3, 7],
  of: 6,
}
const view: View = {
  chart: 'lines',
  metric: 'hops',
  x: 'd',
  series: 'p',
  facet: '',
  fixed: {},
  logX: false,
  logY: false,
  dots: true,
}

function spec(chart: ChartKind, change: Partial<View> = {}, name = 'hops_per_delivery'): ChartSpec {
  return specOf({
    view: { ...view, chart, ...change },
    cells,
    dots,
    measure: measureOf(name),
    x: degree,
    series: protocol,
    facet: null,
  })
}

describe('the rows of a chart', () => {
  it('means with their intervals, and the dots of the points that are shown', () => {
    const { means, dots: shown, x, series } = spec('lines')
    expect(means[0]).toEqual({ x: 8, y: 2, low: 1.9, high: 2.1, s: 0, f: 0 })
    expect(means).toHaveLength(4)
    expect(shown.map((d) => [d.run, d.x, d.s])).toEqual([
      [0, 8, 0],
      [1, 8, 0],
      [2, 8, 0],
      [3, 16, 0],
      [4, 16, 1],
    ])
    expect(x).toMatchObject({ label: 'Degree (links)', at: [8, 16], extent: [8, 16] })
    expect(series).toEqual(['A', 'B'])
  })

  it('shares as per cent', () => expect(spec('lines', {}, 'delivery_ratio').means[0]?.y).toBe(200))

  it('dots can be left out, and never overlap for one value', () => {
    expect(spec('lines', { dots: false }).dots).toEqual([])
    const aside = spec('lines').dots.map((d) => d.aside)
    expect(new Set(aside).size).toBe(aside.length)
    expect(Math.max(...aside.map(Math.abs))).toBeLessThanOrEqual(0.5)
  })

  it('boxes from percentiles', () =>
    expect(spec('box').boxes[0]?.q.map((v) => Math.round(v * 100) / 100)).toEqual([
      1.55, 1.75, 2, 2.25, 2.45,
    ]))

  it('a histogram sums to a hundred per cent a series, and holds every dot in its bar', () => {
    const { bins, dots: within } = spec('histogram')
    const sum = (s: number): number => bins.filter((b) => b.s === s).reduce((n, b) => n + b.share, 0)
    expect([sum(0), sum(1)]).toEqual([100, 100])
    for (const d of within)
      expect(bins.some((b) => b.s === d.s && d.x >= b.from && d.x <= b.to + 1e-9 && d.y <= b.share)).toBe(
        true,
      )
  })

  it('a distribution rises from 0 to 100 %, a step a run, its dots along it', () => {
    const { steps, dots: on } = spec('ecdf')
    const own = steps.filter((b) => b.s === 0)
    expect(own.map((b) => [b.from, b.share])).toEqual([
      [1, 0],
      [1, 25],
      [2, 50],
      [2.5, 75],
      [3, 100],
    ])
    expect(on.filter((d) => d.s === 0).map((d) => d.y)).toEqual([25, 50, 75, 100])
  })

  it('a distribution of more runs than are known singly comes from percentiles', () => {
    const [one] = cells
    if (!one) throw new Error('no cell')
    const { steps } = specOf({
      view: { ...view, chart: 'ecdf' },
      cells: [{ ...one, spread: { ...one.spread, n: 1000 } }],
      dots,
      measure: measureOf('hops'),
      x: degree,
      series: protocol,
      facet: null,
    })
    expect(steps).toHaveLength(101)
    expect([steps[0], steps.at(-1)].map((b) => b?.share)).toEqual([0, 100])
  })

  it('a heat map has a tile a point, which stands for its median run', () => {
    const { tiles, y } = spec('heat')
    expect(tiles).toHaveLength(4)
    expect(tiles[0]).toMatchObject({ x: 0, y: 0, mean: 2, label: '2.00', run: 1 })
    expect(y.names).toEqual(['A', 'B'])
  })

  it('a logarithmic axis shows nothing that is nothing', () => {
    const { dots: shown, means } = specOf({
      view: { ...view, logY: true },
      cells: [{ point: 0, xi: 0, si: 0, fi: 0, spread: spread(0) }, ...cells.slice(1)],
      dots: { ...dots, value: [0, 2, 3, 2.5, 3, 7] },
      measure: measureOf('hops'),
      x: degree,
      series: protocol,
      facet: null,
    })
    expect(shown.every((d) => d.y > 0)).toBe(true)
    expect(means).toHaveLength(3)
  })
})

it.each(['circle', 'diamond', 'square', 'triangle', 'plus', 'cross'] as const)(
  'a %s is a closed path',
  (shape) => expect(outline(shape, 10.04, 20, 2)).toMatch(/^M[^N]*(z|0)$/),
)

it('breaks a title for a file between its words', () => {
  expect(wrapped('a line that is long', 9)).toEqual(['a line', 'that is', 'long'])
  expect(wrapped('unbreakable', 4)).toEqual(['unbreakable'])
})
