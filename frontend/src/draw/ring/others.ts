/** The rings of the other parts of a split network. */
import type { Theme } from '../theme'
import type { Part } from './model'

export interface SmallRing extends Part {
  x: number
  y: number
  r: number
}

/** Rings of the other parts of a split network, small, with how many nodes they hold. */
export function paintSmallRings(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  rings: readonly SmallRing[],
  more: number,
): void {
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  for (const { x, y, r, size } of rings) {
    ctx.strokeStyle = theme.color.ink
    ctx.lineWidth = 1.6
    ctx.fillStyle = theme.color.paper
    if (size > 1) {
      ctx.beginPath()
      ctx.arc(x, y, r, 0, 2 * Math.PI)
      ctx.stroke()
    }
    const top = size > 1 ? y - r : y
    ctx.fillRect(x - 3.5, top - 3.5, 7, 7)
    ctx.strokeRect(x - 3.5, top - 3.5, 7, 7)
    ctx.font = `600 12px ${theme.sans}`
    ctx.fillStyle = theme.color.ink
    ctx.fillText(String(size), x + (size > 1 ? r : 4) + 7, y)
  }
  const last = rings[rings.length - 1]
  if (more > 0 && last) {
    ctx.font = `12px ${theme.sans}`
    ctx.fillStyle = theme.color['ink-3']
    ctx.fillText(`+ ${more} more`, last.x + 52, last.y)
  }
}

/** Where the small rings stand: in a row along the bottom, sized by their share of the largest. */
export function placeSmallRings(
  parts: readonly Part[],
  shown: number,
  width: number,
  height: number,
): SmallRing[] {
  const others = parts.filter((p) => p.part !== shown)
  const room = Math.max(1, Math.floor((width - 60) / 78))
  const placed = others.slice(0, room)
  const most = Math.max(1, ...parts.map((p) => p.size))
  const left = width / 2 - (placed.length * 78) / 2 + 26
  return placed.map(({ part, size, root }, i) => ({
    part,
    size,
    root,
    x: left + i * 78,
    y: height - 34,
    r: 6 + 12 * Math.sqrt(size / most),
  }))
}
