/**
 * The heads of messages in flight, gathered first and painted together: ticks, rings, then arrowheads on top.
 *
 * Without a graphics card a stroked circle costs four filled ones, a sprite between pixels as much, and a filled
 * circle three rectangles on whole pixels. So rings are two discs, and where there are many, two squares.
 */
import type { MessageKind } from '../model'
import { lossShape, type Loss } from './glyphs'
import { paint } from './paint'
import { shape } from './shapes'
import type { Theme } from './theme'

type Shape = MessageKind['shape']

/** Up to so many heads have halos. */
const FEW = 120

interface Burst {
  x: number
  y: number
  angle: number
  u: number
  of: Shape
  loss: Loss
}

export class Heads {
  private readonly heads: Record<Shape, number[]> = { publication: [], subscription: [], structure: [] }
  private bursts: Burst[] = []
  count = 0

  /** @param crowd beyond so many rings not even their middle is left open: they could not be told apart anyway */
  constructor(private readonly crowd = 1500) {}

  clear(): void {
    for (const list of Object.values(this.heads)) list.length = 0
    this.bursts = []
    this.count = 0
  }

  /** `size`: 1 in the air, less when it has just arrived and shrinks into its node. */
  add(of: Shape, x: number, y: number, angle: number, size: number): void {
    this.heads[of].push(x, y, angle, size)
    this.count++
  }

  /** A message that came along `angle` was lost here, `u` (0 … 1) of its burst ago. */
  burst(of: Shape, loss: Loss, x: number, y: number, angle: number, u: number): void {
    this.bursts.push({ of, loss, x, y, angle, u })
    this.count++
  }

  /** `arrow`: half length of an arrowhead; `ring`: radius of a subscription's ring; px. */
  paint(ctx: CanvasRenderingContext2D, theme: Theme, arrow: number, ring: number): void {
    ticks(ctx, theme, this.heads.structure, ring)
    const few = this.count <= FEW
    const rings = this.heads.subscription
    if (few) {
      discs(ctx, rings, ring + 0.9, theme.color.sub)
      discs(ctx, rings, Math.max(0.7, ring - 0.9), theme.color.paper)
      const pub = [{ d: shape.arrow(arrow), fill: 'pub', stroke: 'paper', width: 1.6 }] as const
      each(this.heads.publication, (x, y, angle, size) => paint(ctx, pub, theme, x, y, angle, size))
    } else {
      squares(ctx, theme, rings, ring, rings.length / 4 <= this.crowd)
      arrows(ctx, theme, this.heads.publication, arrow * 0.8)
    }
    for (const b of this.bursts) paintBurst(ctx, theme, b, arrow)
  }
}

function each(
  list: readonly number[],
  visit: (x: number, y: number, angle: number, size: number) => void,
): void {
  for (let i = 0; i < list.length; i += 4) visit(list[i]!, list[i + 1]!, list[i + 2]!, list[i + 3]!)
}

/** Structure messages: ticks across their link. */
function ticks(ctx: CanvasRenderingContext2D, theme: Theme, list: readonly number[], half: number): void {
  if (!list.length) return
  ctx.strokeStyle = theme.color['ink-3']
  ctx.lineWidth = 1.3
  ctx.lineCap = 'butt'
  ctx.beginPath()
  each(list, (x, y, angle, size) => {
    const dx = Math.sin(angle) * half * size
    const dy = -Math.cos(angle) * half * size
    ctx.moveTo(x + dx, y + dy)
    ctx.lineTo(x - dx, y - dy)
  })
  ctx.stroke()
}

function discs(ctx: CanvasRenderingContext2D, list: readonly number[], radius: number, color: string): void {
  ctx.fillStyle = color
  each(list, (x, y, _, size) => {
    ctx.beginPath()
    ctx.arc(x, y, radius * size, 0, 2 * Math.PI)
    ctx.fill()
  })
}

/** Squares on whole device pixels, hollow or filled. */
function squares(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  list: readonly number[],
  half: number,
  hollow: boolean,
): void {
  const ratio = ctx.getTransform().a || 1
  const border = Math.max(1, Math.round(1.2 * ratio))
  const reach = Math.max(border, Math.round(half * ratio))
  const fill = (r: number, color: string): void => {
    ctx.fillStyle = color
    const side = (2 * r + 1) / ratio
    each(list, (x, y) =>
      ctx.fillRect((Math.round(x * ratio) - r) / ratio, (Math.round(y * ratio) - r) / ratio, side, side),
    )
  }
  fill(hollow ? reach : reach - 1, theme.color.sub)
  if (hollow) fill(reach - border, theme.color.paper)
}

function arrows(ctx: CanvasRenderingContext2D, theme: Theme, list: readonly number[], s: number): void {
  ctx.fillStyle = theme.color.pub
  ctx.beginPath()
  each(list, (x, y, angle, size) => {
    const c = Math.cos(angle) * s * size
    const d = Math.sin(angle) * s * size
    ctx.moveTo(x + c, y + d)
    ctx.lineTo(x - 0.75 * c - 0.62 * d, y - 0.75 * d + 0.62 * c)
    ctx.lineTo(x - 0.3 * c, y - 0.3 * d)
    ctx.lineTo(x - 0.75 * c + 0.62 * d, y - 0.75 * d - 0.62 * c)
    ctx.closePath()
  })
  ctx.fill()
}

/** The shape says why it was lost, the colour what it was; it grows and fades. */
function paintBurst(ctx: CanvasRenderingContext2D, theme: Theme, burst: Burst, size: number): void {
  const { x, y, angle, u, of, loss } = burst
  ctx.globalAlpha = Math.min(1, 1.6 * (1 - u))
  if (of === 'structure') {
    // Beacons and the like are many, and rarely the point.
    const thin = [{ d: lossShape(loss, size * 0.66), stroke: 'ink-3', width: 1.2 }] as const
    paint(ctx, thin, theme, x, y, angle, 0.75 + 0.5 * u)
  } else {
    const d = lossShape(loss, size)
    const parts = [
      { d, stroke: 'paper', width: 4.4 },
      { d, stroke: of === 'publication' ? 'pub' : 'sub', width: 1.8 },
    ] as const
    paint(ctx, parts, theme, x, y, angle, 0.75 + 0.5 * u)
  }
  ctx.globalAlpha = 1
}
