/** The marks of each kind of chart. */
import * as Plot from '@observablehq/plot'
import type { Dot, Mean } from './spec'
import type { ChartSpec } from './spec'
import { outline, styleOf } from './style'
import type { ChartTheme } from './style'

export type Marks = Plot.Markish[]
/** Where a facet's small chart stands: column and row. */
export type Placed = (f: number) => { fx: number; fy: number }

/** Where dots were drawn, for finding them again: pixels within the facet, and which facet. */
export interface Drawn {
  x: number[]
  y: number[]
  facet: ({ fx?: unknown; fy?: unknown } | null)[]
  run: number[]
  series: number[]
}

const HALO = 5

export interface Context {
  spec: ChartSpec
  theme: ChartTheme
  placed: Placed
  /** How far apart neighbouring values stand, px. */
  gap: number
}

const faceted = ({ spec, placed }: Context): ((d: { f: number }) => { fx?: number; fy?: number }) =>
  spec.facets.length ? ({ f }) => placed(f) : () => ({})

/** Rows with their facet as channels. */
export function channels<T extends { f: number }>(
  context: Context,
  rows: readonly T[],
): { data: (T & { fx?: number; fy?: number })[]; by: { fx?: string; fy?: string } } {
  const of = faceted(context)
  return {
    data: rows.map((row) => ({ ...row, ...of(row) })),
    by: context.spec.facets.length ? { fx: 'fx', fy: 'fy' } : {},
  }
}

export const numbers = (spec: ChartSpec): number[] => [
  ...new Set(spec.series.length ? spec.series.keys() : [0]),
]

/** From one series to the next at the same value, px. */
export const stride = ({ spec, gap }: Pick<Context, 'spec' | 'gap'>): number =>
  Math.min(spec.kind === 'box' ? 26 : 10, gap / (Math.max(1, spec.series.length) + 1))

/** How far a series is moved to the side, so that several do not cover each other, px. */
export const shift = (context: Pick<Context, 'spec' | 'gap'>, s: number): number =>
  (s - (Math.max(1, context.spec.series.length) - 1) / 2) * stride(context)

const room = (context: Context): number => Math.min(8, stride(context))

/** Finds the places of the dots, and leaves a mark where they come in the picture; they are painted apart. */
export function dots(context: Context, drawn: Drawn): Marks {
  const { spec } = context
  const { data, by } = channels(context, spec.dots)
  const side = spec.kind === 'lines' || spec.kind === 'box'
  return [
    Plot.dot(data, {
      x: 'x',
      y: 'y',
      ...by,
      render(index, _scales, values, _dimensions, { document }) {
        const { fx, fy } = index as { fx?: unknown; fy?: unknown }
        for (const i of index) {
          const d = data[i] as Dot
          drawn.x.push(Number(values.x?.[i]) + (side ? shift(context, d.s) + d.aside * room(context) : 0))
          drawn.y.push(Number(values.y?.[i]))
          drawn.run.push(d.run)
          drawn.series.push(d.s)
          drawn.facet.push(spec.facets.length ? { fx, fy } : null)
        }
        const group = document.createElementNS('http://www.w3.org/2000/svg', 'g')
        group.setAttribute('class', 'dots')
        return group
      },
    }),
  ]
}

/** Bands and lines along numbers; whiskers and marks where x has only names. */
export function lines(context: Context): Marks {
  const { spec, theme } = context
  return numbers(spec).flatMap((s): Marks => {
    const { data, by } = channels(
      context,
      spec.means.filter((m) => m.s === s),
    )
    const { color, dash, shape } = styleOf(theme, s)
    const line = { x: 'x', y: 'y', ...by } as const
    if (spec.x.names || data.length < 2) {
      const dx = shift(context, s)
      return [
        Plot.ruleX(data, { x: 'x', y1: 'low', y2: 'high', dx, stroke: color, strokeWidth: 2, ...by }),
        point(data, by, dx, theme.color.paper, color, shape),
      ]
    }
    return [
      Plot.areaY(data, {
        x: 'x',
        y1: 'low',
        y2: 'high',
        fill: color,
        fillOpacity: theme.dark ? 0.26 : 0.2,
        ...by,
      }),
      Plot.lineY(data, { ...line, stroke: theme.color.paper, strokeWidth: HALO, strokeOpacity: 0.85 }),
      Plot.lineY(data, {
        ...line,
        stroke: color,
        strokeWidth: 2.4,
        strokeDasharray: dash || 'none',
        strokeLinecap: dash.startsWith('2') ? 'butt' : 'round',
        strokeLinejoin: 'round',
      }),
    ]
  })
}

function point(
  data: (Mean & { fx?: number; fy?: number })[],
  by: { fx?: string; fy?: string },
  dx: number,
  paper: string,
  color: string,
  shape: Parameters<typeof outline>[0],
): Plot.Markish {
  return Plot.dot(data, {
    x: 'x',
    y: 'y',
    ...by,
    render(index, _scales, values, _dimensions, { document }) {
      const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
      const parts = [...index].map((i) =>
        outline(shape, (values.x?.[i] as number) + dx, values.y?.[i] as number, 4.6),
      )
      path.setAttribute('d', parts.join(''))
      path.setAttribute('fill', color)
      path.setAttribute('stroke', paper)
      path.setAttribute('stroke-width', '1.5')
      return path
    },
  })
}

export function histogram(context: Context): Marks {
  const { spec, theme } = context
  return numbers(spec).flatMap((s): Marks => {
    const { data, by } = channels(
      context,
      spec.bins.filter((b) => b.s === s),
    )
    const { color, dash } = styleOf(theme, s)
    const bar = { x1: 'from', x2: 'to', y1: 0, y2: 'share', ...by } as const
    return [
      Plot.rect(data, { ...bar, fill: color, fillOpacity: 0.14 }),
      Plot.rect(data, {
        ...bar,
        stroke: color,
        strokeWidth: 1.6,
        strokeDasharray: dash || 'none',
        fill: 'none',
      }),
    ]
  })
}

export function ecdf(context: Context): Marks {
  const { spec, theme } = context
  return numbers(spec).flatMap((s): Marks => {
    const { data, by } = channels(
      context,
      spec.steps.filter((b) => b.s === s),
    )
    const { color, dash } = styleOf(theme, s)
    return [
      Plot.line(data, {
        x: 'from',
        y: 'share',
        ...by,
        curve: 'step-after',
        stroke: color,
        strokeWidth: 2.2,
        strokeDasharray: dash || 'none',
      }),
    ]
  })
}

/** Tiles from paper to ink, with their figures, so that no hue has to be told from another. */
export function heat(context: Context, tones: (mean: number) => { fill: string; text: string }): Marks {
  const { spec, gap } = context
  const { data, by } = channels(context, spec.tiles)
  const place = { x: 'x', y: 'y', ...by } as const
  return [
    Plot.cell(data, { ...place, fill: (d: { mean: number }) => tones(d.mean).fill, inset: 0.5 }),
    ...(data.length > 400 || gap < 30
      ? []
      : [
          Plot.text(data, {
            ...place,
            text: 'label',
            fill: (d: { mean: number }) => tones(d.mean).text,
            fontSize: 11,
          }),
        ]),
  ]
}
