/** The region that is healing: one rimmed shape behind everything, the union of discs around its nodes. */
import { LinkKind } from '../tree'
import type { Scene } from './scene'

const RIM = 1.25

/** Radius of the disc around one node, px. */
const discRadius = (r: number): number => Math.max(7, Math.min(40, r * 3.9))

export function paintBlob(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { theme, world, region, kind, sx, sy, r } = scene
  const radius = discRadius(r)
  const discs: number[] = []
  const bridges: number[] = []
  for (let v = 0; v < world.n; v++) if (region[v]) discs.push(v)
  for (let k = 0; k < world.m; k++) {
    const both = region[world.from[k]!] && region[world.to[k]!]
    if (both && (kind[k] === LinkKind.tree || near(scene, k, radius * 2.6))) bridges.push(k)
  }
  ctx.lineCap = 'round'
  // The rim first, everywhere; the fill then covers what of it lies inside the union.
  for (const [fill, grow] of [
    [theme.color.wrong, RIM],
    [theme.color['wrong-soft'], 0],
  ] as const) {
    ctx.fillStyle = ctx.strokeStyle = fill
    ctx.lineWidth = radius * 1.1 + 2 * grow
    for (const k of bridges) {
      ctx.beginPath()
      ctx.moveTo(sx[world.from[k]!]!, sy[world.from[k]!]!)
      ctx.lineTo(sx[world.to[k]!]!, sy[world.to[k]!]!)
      ctx.stroke()
    }
    for (const v of discs) {
      ctx.beginPath()
      ctx.arc(sx[v]!, sy[v]!, radius + grow, 0, 2 * Math.PI)
      ctx.fill()
    }
  }
}

function near({ world, sx, sy }: Scene, k: number, distance: number): boolean {
  const a = world.from[k]!
  const b = world.to[k]!
  return Math.hypot(sx[a]! - sx[b]!, sy[a]! - sy[b]!) < distance
}
