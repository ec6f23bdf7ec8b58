/** Draws a chart with Observable Plot, and finds in it the run behind a place. */
import * as Plot from '@observablehq/plot'
import { Grid } from '../../draw/grid'
import { luminance, mix } from '../../draw/theme'
import { plain } from '../document'
import { dotsAsPaths, paintDots } from './dots'
import { boxes, dots, ecdf, heat, histogram, lines } from './marks'
import type { Drawn } from './marks'
import type { ChartSpec, Mean, Scale } from './spec'
import { styleOf } from './style'
import type { ChartTheme } from './style'

export interface Size {
  width: number
  height: number
}

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

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

function columnsOf(n: number, { width, height }: Size): number {
  if (n <= 1) return 1
  if (n <= 4 && width / n >= 200) return n
  const ideal = Math.round(Math.sqrt((n * width) / (height * 1.3)))
  return Math.max(1, Math.min(n, ideal, Math.floor(width / 150) || 1))
}

const leftOf = (scale: Scale): number =>
  Math.min(170, 24 + 7 * Math.max(...(scale.names ?? ['']).map((name) => Math.min(22, name.length))))

function scaleX(spec: ChartSpec): Plot.ScaleOptions {
  const { names, log, extent } = spec.x
  if (names) return { type: 'linear', domain: [-0.5, names.length - 0.5] }
  if (spec.kind === 'histogram') return { type: 'linear', nice: true }
  const inset = spec.kind === 'ecdf' ? 4 : 20
  if (!extent) return { type: log ? 'log' : 'linear', inset }
  const [lo, hi] = extent
  // A single value stands in the middle.
  return { type: log ? 'log' : 'linear', domain: lo === hi ? [lo - 1, hi + 1] : [lo, hi], inset }
}

const domainOf = ({ extent }: Scale): { domain?: [number, number] } => (extent ? { domain: extent } : {})

/** Where values stand that are few enough to be named; else wherever Plot likes. */
function ticksOf({ names, at, log }: Scale, inner: number): Plot.AxisXOptions {
  if (names) {
    const every = Math.max(1, Math.ceil((names.length * 34) / inner))
    const shown = range(names.length).filter((i) => i % every === 0)
    const most = Math.max(4, Math.floor((inner / shown.length - 6) / 6.4))
    return { ticks: shown, tickFormat: (i: number) => cut(names[i] ?? '', most) }
  }
  if (!at) return log ? { ticks: 6, tickFormat: ',' } : { ticks: Math.max(2, Math.floor(inner / 70)) }
  const widest = Math.max(...at.map((v) => plain(Number(v.toPrecision(4))).length)) * 7 + 12
  const every = log ? 1 : Math.max(1, Math.ceil((at.length * widest) / inner))
  const shown = at.filter((_, i) => i % every === 0)
  return { ticks: shown, tickFormat: (v: number) => plain(Number(v.toPrecision(4))) }
}

/** The least distance between neighbouring values, px. */
function gapOf({ names, at, extent, log }: Scale, inner: number): number {
  if (names) return inner / Math.max(1, names.length)
  if (!at || !extent || at.length < 2) return 60
  const on = (v: number): number => (log ? Math.log(v) : v)
  const span = on(extent[1]) - on(extent[0]) || 1
  const sorted = at.map(on).toSorted((a, b) => a - b)
  const least = Math.min(...sorted.slice(1).map((v, i) => v - (sorted[i] ?? 0)))
  return Math.max(6, (least / span) * (inner - 32))
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

/** WCAG 2 */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

function write(parent: Element, text: string, attributes: Record<string, string | number>): void {
  const node = document.createElementNS(SVG, 'text')
  for (const [name, value] of Object.entries({ 'font-size': 13, 'text-anchor': 'start', ...attributes }))
    node.setAttribute(name, String(value))
  node.textContent = text
  parent.append(node)
}

/** Names of the lines at their ends, moved apart where they would touch. */
function endLabels(svg: SVGSVGElement & Plot.Plot, spec: ChartSpec, theme: ChartTheme, x: number): void {
  const y = svg.scale('y')
  if (!y) return
  const lasts = spec.series.flatMap((name, s) => {
    const own = spec.means.filter((m) => m.s === s)
    const last = own.reduce<Mean | null>((a, b) => (a && a.x > b.x ? a : b), null)
    return last ? [{ name, s, last, y: Number(y.apply(last.y)) }] : []
  })
  lasts.sort((a, b) => a.y - b.y)
  lasts.forEach((label, i) => (label.y = Math.max(label.y, (lasts[i - 1]?.y ?? -Infinity) + 36)))
  for (const { name, s, last, y: at } of lasts) {
    write(svg, cut(name, 20), { x, y: at - 3, fill: styleOf(theme, s).color, 'font-weight': 650 })
    write(svg, spec.spread(last.y, last.high - last.y), {
      x,
      y: at + 13,
      fill: theme.color['ink-2'],
      'font-size': 12,
    })
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

function ring(
  overlay: SVGElement,
  at: { x: number; y: number },
  words: string,
  theme: ChartTheme,
  size: Size,
): void {
  const circle = document.createElementNS(SVG, 'circle')
  const shape = { cx: at.x, cy: at.y, r: 7, fill: 'none', stroke: theme.color.ink, 'stroke-width': 2 }
  for (const [name, value] of Object.entries(shape)) circle.setAttribute(name, String(value))
  overlay.append(circle)
  if (!words) return
  const right = at.x + 46 + words.length * 6.6 < size.width
  const [from, to] = right ? [at.x + 7, at.x + 36] : [at.x - 7, at.x - 36]
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', `M${from} ${at.y}H${to}`)
  path.setAttribute('stroke', theme.color.ink)
  overlay.append(path)
  write(overlay, words, {
    x: right ? to + 5 : to - 5,
    y: at.y + 4,
    'font-size': 12,
    'font-weight': 600,
    fill: theme.color.ink,
    stroke: theme.color.paper,
    'stroke-width': 4,
    'stroke-linejoin': 'round',
    'paint-order': 'stroke',
    'text-anchor': right ? 'start' : 'end',
  })
}
