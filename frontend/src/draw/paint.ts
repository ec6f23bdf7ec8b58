/** Symbols on a canvas. */
import type { Part } from './glyphs'
import { hatch, type Canvas2D, type Theme } from './theme'

const paths = new Map<string, Path2D>()

function path(d: string): Path2D {
  let p = paths.get(d)
  if (!p) {
    // Zooming makes ever new radii; a few hundred shapes are a screenful.
    if (paths.size > 600) paths.clear()
    paths.set(d, (p = new Path2D(d)))
  }
  return p
}

/** Paints a symbol's parts at (x, y), turned by `angle` (radians, clockwise) and scaled by `size`. */
export function paint(
  ctx: Canvas2D,
  parts: readonly Part[],
  theme: Theme,
  x: number,
  y: number,
  angle = 0,
  size = 1,
): void {
  ctx.save()
  ctx.translate(x, y)
  if (angle) ctx.rotate(angle)
  if (size !== 1) ctx.scale(size, size)
  ctx.lineJoin = 'round'
  ctx.lineCap = 'round'
  for (const part of parts) {
    const p = path(part.d)
    if (part.fill) {
      ctx.fillStyle =
        part.fill === 'hatch'
          ? hatch(ctx, theme.color.wrong, theme.color['wrong-soft'], 2, 5)
          : theme.color[part.fill]
      ctx.fill(p)
    }
    if (part.stroke) {
      ctx.strokeStyle = theme.color[part.stroke]
      ctx.lineWidth = part.width ?? 1
      if (part.dash) ctx.setLineDash([...part.dash])
      ctx.stroke(p)
      if (part.dash) ctx.setLineDash([])
    }
  }
  ctx.restore()
}
