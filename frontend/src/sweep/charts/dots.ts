/** Paints the runs: thousands of dots on a canvas under the picture, or as a few paths for a file. */
import type { ChartKind } from '../results'
import type { Drawn } from './marks'
import { outline, styleOf } from './style'
import type { ChartTheme } from './style'

const SVG = 'http://www.w3.org/2000/svg'
/** Few dots are larger. */
const radius = ({ run }: Drawn): number => (run.length < 300 ? 3.2 : run.length < 1500 ? 2.6 : 2.1)
/** Dots of one path do not darken where they overlap; those of several do. */
const PATHS = 6

const opacity = (kind: ChartKind, theme: ChartTheme): number =>
  kind === 'box' ? 0.24 : theme.dark ? 0.42 : 0.34

/** A canvas as large as the picture with all dots on it. */
export function paintDots(
  drawn: Drawn,
  kind: ChartKind,
  theme: ChartTheme,
  { width, height }: { width: number; height: number },
): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  const ratio = Math.min(2, devicePixelRatio || 1)
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const ctx = canvas.getContext('2d')
  if (!ctx) return canvas
  ctx.scale(ratio, ratio)
  ctx.globalAlpha = opacity(kind, theme)
  const r = radius(drawn)
  const shapes = new Map<number, { path: Path2D; color: string }>()
  for (let i = 0; i < drawn.x.length; i++) {
    const s = drawn.series[i] ?? 0
    let shape = shapes.get(s)
    if (!shape) {
      const { shape: name, color } = styleOf(theme, s)
      shapes.set(s, (shape = { path: new Path2D(outline(name, 0, 0, r)), color }))
      ctx.fillStyle = color
    }
    if (ctx.fillStyle !== shape.color) ctx.fillStyle = shape.color
    ctx.setTransform(ratio, 0, 0, ratio, (drawn.x[i] ?? 0) * ratio, (drawn.y[i] ?? 0) * ratio)
    ctx.fill(shape.path)
  }
  return canvas
}

/** The same for a picture in a file. */
export function dotsAsPaths(drawn: Drawn, kind: ChartKind, theme: ChartTheme): SVGGElement {
  const group = document.createElementNS(SVG, 'g')
  const r = radius(drawn)
  const paths = new Map<string, string[]>()
  drawn.run.forEach((_, i) => {
    const s = drawn.series[i] ?? 0
    const part = outline(styleOf(theme, s).shape, drawn.x[i] ?? 0, drawn.y[i] ?? 0, r)
    const key = `${s}/${i % PATHS}`
    const path = paths.get(key)
    if (path) path.push(part)
    else paths.set(key, [part])
  })
  for (const [key, parts] of paths) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', parts.join(''))
    path.setAttribute('fill', styleOf(theme, parseInt(key, 10)).color)
    path.setAttribute('fill-opacity', String(opacity(kind, theme)))
    group.append(path)
  }
  return group
}
