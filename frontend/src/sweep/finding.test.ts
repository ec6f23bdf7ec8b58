import { describe, expect, it } from 'vitest'
import type { SweepDifference, SweepSpread, SweepSummary } from '../wire.gen'
import { asSweep } from './document'
import { findingOf } from './finding'
import { measureOf, say, short, spread } from './measures'
import { alone, dimensionsOf, nameOf } from './dimensions'
import { binned, cellsOf, firstSummary, firstView, heldBy, put, rankOf } from './results'
import type { Dimension } from './dimensions'
import type { Axis } from './document'
import type { Cell, View } from './results'

const hops = measureOf('hops_per_delivery')
const ratio = measureOf('delivery_ratio')

function around(mean: number | null, half = 0.1, n = 60): SweepSpread {
  const at = (d: number): number | null => (mean === null ? null : mean + d)
  return {
    n,
    mean,
    sd: half,
    ci95_low: at(-half),
    ci95_high: at(half),
    min: at(-1),
    max: at(1),
    q: [],
    median_run: 1,
    worst_run: 2,
  }
}
const cell = (xi: number, si: number, mean: number | null, half = 0.1, n = 60): Cell => ({
  point: 10 * xi + si,
  xi,
  si,
  fi: 0,
  spread: around(mean, half, n),
})
const degree: Dimension = {
  key: 'topology.mean_degree',
  title: 'Mean degree',
  along: [],
  unit: '',
  numeric: true,
  values: [8, 16, 30],
  names: ['8', '16', '30'],
}
const protocol: Dimension = {
  key: 'protocol',
  title: 'Protocol',
  along: [],
  unit: '',
  numeric: false,
  values: ['PSVR', 'Shen'],
  names: ['PSVR', 'Shen'],
}
const find = (
  cells: Cell[],
  measure = hops,
  series: Dimension | null = protocol,
  x: Dimension | null = degree,
  differences: SweepDifference[] = [],
): string => findingOf({ cells, measure, x, series, differences })

describe('a comparison', () => {
  const apart = [cell(0, 0, 6), cell(0, 1, 6.1), cell(2, 0, 2), cell(2, 1, 4)]

  it('tells where the series are furthest apart, in per cent', () =>
    expect(find(apart)).toBe('At mean degree 30, PSVR has 50 % fewer hops per delivery than Shen'))

  it('knows which way is better, and shares as they are', () => {
    const cells = [cell(1, 0, 0.97, 0.01), cell(1, 1, 0.82, 0.01)]
    expect(find(cells, ratio)).toBe('At mean degree 16, PSVR has a delivery ratio of 97.0 %, Shen 82.0 %')
  })

  it('says how much shorter a time is', () => {
    const time = measureOf('stabilised_s.ring')
    expect(find([cell(0, 0, 3), cell(0, 1, 4)], time)).toBe(
      'At mean degree 8, PSVR has a 25 % shorter time until the ring is stable than Shen',
    )
  })

  it('is on a network, and with a radio', () => {
    const named = (key: string, title: string, names: string[]): Dimension => ({
      ...protocol,
      key,
      title,
      values: names,
      names,
    })
    const networks = named('topology', 'Network', ['Grid', 'Leipzig mesh', 'Star'])
    const radios = named('radio', 'Radio', ['Ideal', 'Unit disk', 'CC2420'])
    expect(find(apart, hops, radios, networks)).toBe(
      'On Star, Ideal has 50 % fewer hops per delivery than Unit disk',
    )
    expect(find(apart, hops, networks, radios)).toMatch(/^With CC2420, Grid has/)
    const alike = [0, 1, 2].map((s) => cell(0, s, 6, 1))
    expect(find(alike, hops, networks, null)).toContain('among 3 networks')
  })

  it('claims nothing that the intervals do not', () => {
    expect(find([cell(0, 0, 6, 0.5), cell(0, 1, 6.2, 0.5)])).toBe(
      'No clear difference between PSVR and Shen in hops per delivery',
    )
    expect(find([cell(0, 0, 6, 0, 1), cell(0, 1, 9, 0, 1)])).toContain('too few runs')
  })

  it('waits until series meet at a place', () =>
    expect(find([cell(0, 0, 6), cell(1, 1, 9)])).toContain('too few runs'))

  it('lets paired differences decide where there are some', () => {
    const pair = (low: number, high: number): SweepDifference => ({
      point_a: 0,
      point_b: 1,
      metric: 'hops_per_delivery',
      n: 60,
      mean: (low + high) / 2,
      ci95_low: low,
      ci95_high: high,
    })
    const wide = [cell(0, 0, 6, 2), cell(0, 1, 8, 2)]
    expect(find(wide, hops, protocol, degree, [pair(1.5, 2.5)])).toContain('25 % fewer')
    const narrow = [cell(0, 0, 6, 0.1), cell(0, 1, 8, 0.1)]
    expect(find(narrow, hops, protocol, degree, [pair(-1, 5)])).toContain('No clear difference')
  })

  it('of next to nothing says how much it is', () =>
    expect(find([cell(0, 0, 5), cell(0, 1, 8420)])).toBe(
      'At mean degree 8, PSVR has 5.00 hops per delivery, Shen 8,420',
    ))

  it('of the worst with nothing is told in figures', () =>
    expect(find([cell(0, 0, 0), cell(0, 1, 3)], measureOf('duplicates'))).toContain('100 % fewer duplicates'))

  it('along an axis without numbers compares its values', () => {
    const cells = [cell(0, 0, 4), cell(1, 0, 8)]
    expect(find(cells, hops, null, protocol)).toBe('PSVR has 50 % fewer hops per delivery than Shen')
  })

  it('of several small charts tells about the first, and says so', () => {
    const cells = [cell(0, 0, 4), cell(0, 1, 8), { ...cell(0, 0, 9), fi: 1 }, { ...cell(0, 1, 1), fi: 1 }]
    const text = findingOf({
      cells,
      measure: hops,
      x: null,
      series: protocol,
      facet: degree,
      differences: [],
    })
    expect(text).toBe('PSVR has 50 % fewer hops per delivery than Shen (mean degree 8)')
  })

  it('passes over what was not measured', () =>
    expect(find([cell(0, 0, null), cell(0, 1, null)])).toBe('Hops per delivery: nothing measured yet'))
})

describe('a single line', () => {
  const line = (...means: number[]): Cell[] => means.map((m, i) => cell(i, 0, m))

  it.each([
    [[7.3, 5, 3.8], 'Hops per delivery fall from 7.30 to 3.80 as mean degree grows from 8 to 30'],
    [[3, 3.5, 4], 'Hops per delivery rise from 3.00 to 4.00 as mean degree grows from 8 to 30'],
    [[4, 4.05, 4.1], 'Hops per delivery hardly change as mean degree grows from 8 to 30'],
    [[4, 2, 5], 'Hops per delivery are lowest at mean degree 16: 2.00'],
    [[4, 9, 5], 'Hops per delivery are highest at mean degree 16: 9.00'],
  ])('%j', (means, text) => expect(find(line(...means), hops, null)).toBe(text))

  it('that may have changed by much is not said to be the same', () =>
    expect(find([cell(0, 0, 2.78, 0.93), cell(1, 0, 1.94, 0.14)], hops, null)).toBe(
      'No clear change in hops per delivery as mean degree grows from 8 to 16',
    ))

  it('a single point says its mean', () =>
    expect(find([cell(0, 0, 4)], hops, null)).toBe('Hops per delivery: 4.00 ± 0.10 over 60 runs'))
})

describe('from the summary to a chart', () => {
  const document = asSweep({
    base: { version: 1, topology: { kind: 'gnp', n: 50 }, protocol: { name: 'psvr' } },
    axes: [
      { path: 'topology.mean_degree', values: [8, 16, 30] },
      { path: 'radio.loss', from: 0, to: 0.3, step: 0.1 },
      { path: 'protocol', values: [{ name: 'psvr' }, { name: 'shen' }], labels: ['PSVR', 'Shen'] },
    ],
    compare: 'protocol',
    repetitions: 60,
  })
  const dims = dimensionsOf(document.axes, (path) => ({ title: path.split('.').at(-1) ?? '', unit: '' }))
  const view = firstView(document, dims, ['hops_per_delivery'])
  const summary: SweepSummary = {
    runs_done: 24,
    runs_failed: 0,
    differences: [],
    truncated: false,
    points: [8, 16, 30].flatMap((d, i) =>
      [0, 0.1, 0.2, 0.30000000000000004].flatMap((loss, j) =>
        ['PSVR', 'Shen'].map((name, k) => ({
          point: i * 8 + j * 2 + k,
          values: { 'topology.mean_degree': d, 'radio.loss': loss, protocol: name },
          metrics: { hops_per_delivery: around(d) },
        })),
      ),
    ),
  }

  it('puts numbers along x and what is compared side by side', () =>
    expect(view).toMatchObject({
      chart: 'lines',
      x: 'radio.loss',
      series: 'protocol',
      metric: 'hops_per_delivery',
    }))

  it('holds the other axes at a value', () => {
    expect(heldBy(view, dims).map(({ dim, at }) => [dim.key, at])).toEqual([['topology.mean_degree', 0]])
    const cells = cellsOf(summary, dims, { ...view, fixed: { 'topology.mean_degree': 2 } })
    expect(cells).toHaveLength(8)
    expect(cells.every((c) => c.spread.mean === 30)).toBe(true)
    expect(cells.map((c) => [c.si, c.xi])).toEqual([0, 1].flatMap((s) => [0, 1, 2, 3].map((x) => [s, x])))
  })

  it.each([
    [{ facet: 'topology.mean_degree' }, 24],
    [{ chart: 'histogram' }, 2],
    [{ chart: 'ecdf', facet: 'radio.loss' }, 8],
    [{ chart: 'heat', series: 'topology.mean_degree' }, 12],
    [{ metric: 'unknown' }, 0],
    [{ series: 'radio.loss' }, 4],
  ] as [Partial<View>, number][])('%j shows %d points', (change, n) =>
    expect(cellsOf(summary, dims, { ...view, ...change })).toHaveLength(n),
  )

  it('gives an axis one place', () => {
    const looked = (role: 'x' | 'series' | 'facet', key: string): string[] => {
      const { x, series, facet } = { ...view, ...put(view, role, key) }
      return [x, series, facet]
    }
    expect(looked('x', 'protocol')).toEqual(['protocol', 'radio.loss', ''])
    expect(looked('facet', 'protocol')).toEqual(['radio.loss', '', 'protocol'])
    expect(looked('facet', 'topology.mean_degree')).toEqual([
      'radio.loss',
      'protocol',
      'topology.mean_degree',
    ])
    expect(looked('series', '')).toEqual(['radio.loss', '', ''])
  })

  it('before there is a summary, single runs are means that claim nothing', () => {
    const dots = {
      run: [0, 1, 60, 1300],
      point: [0, 0, 1, 21],
      seed: [1, 2, 1, 41],
      value: [3, 5, 2, 9],
      of: 4,
    }
    const early = firstSummary(dots, dims, 'hops_per_delivery')
    expect(early.points.map((p) => nameOf(p.values, dims))).toEqual([
      'mean_degree 8, loss 0, PSVR',
      'mean_degree 8, loss 0, Shen',
      'mean_degree 30, loss 0.2, Shen',
    ])
    const cells = cellsOf(early, dims, view)
    expect(cells.map((c) => [c.si, c.xi, c.spread.mean])).toEqual([
      [0, 0, 4],
      [1, 0, 2],
    ])
    expect(find(cells)).toContain('too few runs')
  })

  it('names what goes in step, and rounds what a range came to', () => {
    const [nodes, lease] = dimensionsOf(
      [
        {
          zip: [
            { path: 'n', values: [50, 100] },
            { path: 'loss', values: [0, 0.1] },
          ],
        },
        { path: 'lease', from: 1, to: 10, count: 3, scale: 'log' },
      ],
      (path) => ({ title: path, unit: '' }),
    )
    expect(nodes).toMatchObject({
      names: ['50 with loss 0', '100 with loss 0.1'],
      numeric: true,
      along: ['loss'],
    })
    expect(lease?.names).toEqual(['1', '3.162', '10'])
    expect(lease && alone(lease)[1]).toBe('lease 3.162')
  })

  it('knows whole objects by what the rows call them, and tells people what differs', () => {
    const values = [
      { kind: 'line', n: 5 },
      { n: 4, kind: 'line' },
      { kind: 'grid', n: 4 },
    ]
    const title = (): { title: string; unit: string } => ({ title: 'Network', unit: '' })
    const of = (axis: Axis): Dimension | undefined => dimensionsOf([axis], title)[0]
    expect(of({ path: 'topology', values })).toMatchObject({
      values: ['{"kind":"line","n":5}', '{"kind":"line","n":4}', '{"kind":"grid","n":4}'],
      names: ['line, n 5', 'line, n 4', 'grid'],
    })
    expect(of({ path: 'topology', values, labels: ['a', 'b', 'c'] })?.values).toEqual(['a', 'b', 'c'])
    expect(of({ path: 'protocol', values: [{ name: 'psvr' }, { name: 'shen' }] })?.values).toEqual([
      'psvr',
      'shen',
    ])
    const mesh = of({ path: 'topology', values: [{ kind: 'builtin', name: 'leipzig' }] })
    expect(mesh && nameOf({ topology: 'leipzig' }, [mesh])).toBe('leipzig')
  })

  it('names a point', () =>
    expect(nameOf(summary.points[3]?.values ?? {}, dims)).toBe('mean_degree 8, loss 0.1, Shen'))

  it('ranks a run among its seeds from the best', () => {
    expect(rankOf(6, [1, 4, 6, 5], 'less')).toBe(4)
    expect(rankOf(6, [1, 4, 6, 5], 'more')).toBe(1)
  })

  it('counts into bins, the largest value into the last', () => {
    expect(binned([0, 1, 2, 3, 4], 2).counts).toEqual([2, 3])
    expect(binned([5, 5], 3).counts).toEqual([2, 0, 0])
  })
})

describe('values in words', () => {
  it.each([
    [0, '0'],
    [0.0004, '0.0004'],
    [0.0512, '0.0512'],
    [0.5, '0.500'],
    [6.081, '6.08'],
    [42.25, '42.3'],
    [1234.5, '1,235'],
  ])('%d', (x, text) => expect(short(x)).toBe(text))

  it('with their unit', () => {
    expect(say(0.973, ratio)).toBe('97.3 %')
    expect(say(3.5, measureOf('stabilised_s.ring'))).toBe('3.50 s')
    expect(say(null, hops)).toBe('–')
  })

  it('mean and interval alike precise', () => expect(spread(6.081, 0.419, hops)).toEqual(['6.08', '0.42']))
})
