/** Draws a chart with Observable Plot, and finds in it the run behind a place. */
import * as Plot from '@observablehq/plot'
import { Grid } from '../../draw/grid'
import { luminance, mix } from '../../draw/theme'
import { dotsAsPaths, paintDots } from './dots'
import { boxes } from './boxes'
import { dots, ecdf, heat, histogram, lines } from './marks'
import type { Drawn } from './marks'
import { columnsOf, cut, domainOf, gapOf, leftOf, range, scaleX, ticksOf } from './scales'
import type { Size } from './scales'
import type { ChartSpec } from './spec'
import type { ChartTheme } from './style'
import { endLabels, ring, write } from './words'

export interface Chart {
  /** From below: the dots, the picture, the ring around a selected dot. */
  layers: [HTMLCanvasElement, SVGSVGElement, SVGSVGElement]
  /** All of it as one picture. */
  complete(): SVGSVGElement
  /** The run drawn nearest to a place within reach, else null. */
  runAt(x: number, y: number): number | null
  placeOf(run: number): { x: number; y: number } | null
  /** Rings the dot of a run and says what it is; null: none. */
  mark(run: number | null, words: string): void
}

const SVG = 'http://www.w3.org/2000/svg'
const REACH = 22
const NARROW = 560

export function drawChart(spec: ChartSpec, size: Size, theme: ChartTheme): Chart {
  const narrow = size.width < NARROW
  const columns = columnsOf(spec.facets.length, size)
  const rows = Math.max(1, Math.ceil(spec.facets.length / columns))
  const placed = (f: number): { fx: number; fy: number } => ({ fx: f % columns, fy: Math.floor(f / columns) })
  const labelled =
    spec.kind === 'lines' && !spec.x.names && !narrow && !spec.facets.length && spec.series.length > 0
  const margins = {
    marginLeft: spec.kind === 'heat' ? leftOf(spec.y) : narrow ? 40 : 48,
    marginRight: labelled ? 158 : narrow ? 14 : 20,
    marginTop: spec.facets.length ? 44 : 28,
    marginBottom: 42,
  }
  const inner = (size.width - margins.marginLeft - margins.marginRight) / columns
  const context = { spec, theme, placed, gap: gapOf(spec.x, inner) }
  const drawn: Drawn = { x: [], y: [], facet: [], run: [], series: [] }
  const { color } = theme
  const quiet = { fill: color['ink-3'], fontSize: 12 }
  const xTicks = ticksOf(spec.x, inner)
  const yTicks = Math.max(3, Math.min(7, Math.floor((size.height - 70) / rows / 58)))
  const made = Plot.plot({
    ...size,
    ...margins,
    style: {
      background: 'transparent',
      color: color['ink-2'],
      fontFamily: theme.sans,
      fontSize: '12px',
      overflow: 'visible',
    },
    x:
      spec.kind === 'heat'
        ? { type: 'band', padding: 0, domain: range(spec.x.names?.length ?? 1) }
        : scaleX(spec),
    y:
      spec.kind === 'heat'
        ? { type: 'band', padding: 0, domain: range(spec.y.names?.length ?? 1) }
        : {
            type: spec.y.log ? 'log' : 'linear',
            nice: true,
            zero: spec.kind === 'histogram',
            ...domainOf(spec.y),
          },
    fx: { axis: null, domain: range(columns), paddingInner: columns > 1 ? 0.06 : 0, paddingOuter: 0 },
    fy: { axis: null, domain: range(rows), paddingInner: rows > 1 ? 0.24 : 0, paddingOuter: 0 },
    marks: [
      ...(spec.kind === 'heat' ? [] : [Plot.gridY({ stroke: color.line, strokeOpacity: 1, ticks: yTicks })]),
      Plot.axisX({ label: null, tickSize: 0, ...quiet, ...xTicks }),
      Plot.axisY({
        label: null,
        tickSize: 0,
        ...quiet,
        ...(spec.kind === 'heat'
          ? { tickFormat: (i: number) => cut(spec.y.names?.[i] ?? '', 22) }
          : { ticks: yTicks, ...(spec.y.log ? { tickFormat: ',' } : {}) }),
      }),
      ...dots(context, drawn),
      ...(spec.kind === 'lines' ? lines(context) : []),
      ...(spec.kind === 'box' ? boxes(context) : []),
      ...(spec.kind === 'histogram' ? histogram(context) : []),
      ...(spec.kind === 'ecdf' ? ecdf(context) : []),
      ...(spec.kind === 'heat' ? heat(context, tones(spec, theme)) : []),
      ...(spec.facets.length
        ? [
            Plot.text(
              spec.facets.map((name, f) => ({ name, ...placed(f) })),
              {
                fx: 'fx',
                fy: 'fy',
                text: 'name',
                frameAnchor: 'top-left',
                dy: -14,
                fontWeight: 650,
                fontSize: 12,
                fill: color.ink,
              },
            ),
          ]
        : []),
    ],
  })
  const svg = made as SVGSVGElement & Plot.Plot
  svg.setAttribute('xmlns', SVG)
  svg.setAttribute('font-variant-numeric', 'tabular-nums')
  write(svg, spec.y.label, { x: margins.marginLeft - 30, y: 12, fill: color['ink-2'] })
  const middle = margins.marginLeft + (size.width - margins.marginLeft - margins.marginRight) / 2
  write(svg, spec.x.label, { x: middle, y: size.height - 4, fill: color['ink-2'], 'text-anchor': 'middle' })
  if (labelled) endLabels(svg, spec, theme, size.width - margins.marginRight + 12)

  settle(drawn, svg, margins)
  const canvas = paintDots(drawn, spec.kind, theme, size)
  if (spec.kind === 'heat') tilesAsDots(spec, drawn, svg, placed, margins)
  const grid = new Grid(drawn.x, drawn.y, drawn.x.length)
  const index = new Map(drawn.run.map((run, i) => [run, i]))
  // A picture of its own, so that pointing at a dot does not draw the others again.
  const overlay = document.createElementNS(SVG, 'svg')
  overlay.setAttribute('width', String(size.width))
  overlay.setAttribute('height', String(size.height))
  overlay.setAttribute('font-family', theme.sans)
  overlay.setAttribute('aria-hidden', 'true')
  const placeOf = (run: number): { x: number; y: number } | null => {
    const i = index.get(run)
    return i === undefined ? null : { x: drawn.x[i] ?? 0, y: drawn.y[i] ?? 0 }
  }
  return {
    layers: [canvas, svg, overlay],
    complete() {
      const whole = svg.cloneNode(true) as SVGSVGElement
      const place = whole.querySelector('.dots')?.closest('svg > *')
      if (spec.kind !== 'heat') place?.before(dotsAsPaths(drawn, spec.kind, theme))
      whole.append(...[...overlay.children].map((node) => node.cloneNode(true)))
      return whole
    },
    runAt: (x, y) => drawn.run[grid.nearest(x, y, spec.kind === 'heat' ? 60 : REACH)] ?? null,
    placeOf,
    mark(run, words) {
      overlay.replaceChildren()
      const at = run === null ? null : placeOf(run)
      if (at) ring(overlay, at, words, theme, size)
    },
  }
}

function tones(spec: ChartSpec, theme: ChartTheme): (mean: number) => { fill: string; text: string } {
  const means = spec.tiles.map((t) => t.mean)
  const [lo, hi] = [Math.min(...means), Math.max(...means)]
  const full = theme.series[1]?.color ?? theme.color.ink
  return (mean) => {
    const fill = mix(theme.color.panel, full, hi > lo ? 0.06 + (0.9 * (mean - lo)) / (hi - lo) : 0.4)
    const best = contrast(fill, theme.color.ink) > contrast(fill, theme.color.panel) ? 'ink' : 'panel'
    return { fill, text: theme.color[best] }
  }
}

/** From places within facets to places on the whole picture. */
function settle(
  drawn: Drawn,
  svg: SVGSVGElement & Plot.Plot,
  { marginLeft, marginTop }: { marginLeft: number; marginTop: number },
): void {
  const [fx, fy] = [svg.scale('fx'), svg.scale('fy')]
  drawn.facet.forEach((facet, i) => {
    if (!facet) return
    if (fx && facet.fx !== undefined) drawn.x[i]! += Number(fx.apply(facet.fx)) - marginLeft
    if (fy && facet.fy !== undefined) drawn.y[i]! += Number(fy.apply(facet.fy)) - marginTop
  })
}

/** A tile stands for its median run. */
function tilesAsDots(
  spec: ChartSpec,
  drawn: Drawn,
  svg: SVGSVGElement & Plot.Plot,
  placed: (f: number) => { fx: number; fy: number },
  margins: { marginLeft: number; marginTop: number },
): void {
  const [x, y] = [svg.scale('x'), svg.scale('y')]
  if (!x || !y) return
  const start = drawn.x.length
  for (const tile of spec.tiles) {
    if (tile.run === null) continue
    drawn.x.push(Number(x.apply(tile.x)) + (x.bandwidth ?? 0) / 2)
    drawn.y.push(Number(y.apply(tile.y)) + (y.bandwidth ?? 0) / 2)
    drawn.run.push(tile.run)
    drawn.series.push(0)
    drawn.facet.push(spec.facets.length ? placed(tile.f) : null)
  }
  const tail: Drawn = {
    x: drawn.x.slice(start),
    y: drawn.y.slice(start),
    facet: drawn.facet.slice(start),
    run: [],
    series: [],
  }
  settle(tail, svg, margins)
  tail.x.forEach((v, i) => (drawn.x[start + i] = v))
  tail.y.forEach((v, i) => (drawn.y[start + i] = v))
}

/** WCAG 2 */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}
