/** Words on a chart: axis titles, names at the ends of lines, what is ringed. */
import type * as Plot from '@observablehq/plot'
import { cut } from './scales'
import type { Size } from './scales'
import type { ChartSpec, Mean } from './spec'
import { styleOf } from './style'
import type { ChartTheme } from './style'

const SVG = 'http://www.w3.org/2000/svg'

export function write(parent: Element, text: string, attributes: Record<string, string | number>): void {
  const node = document.createElementNS(SVG, 'text')
  for (const [name, value] of Object.entries({ 'font-size': 13, 'text-anchor': 'start', ...attributes }))
    node.setAttribute(name, String(value))
  node.textContent = text
  parent.append(node)
}

/** Names of the lines at their ends, moved apart where they would touch. */
export function endLabels(
  svg: SVGSVGElement & Plot.Plot,
  spec: ChartSpec,
  theme: ChartTheme,
  x: number,
): void {
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

export function ring(
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
