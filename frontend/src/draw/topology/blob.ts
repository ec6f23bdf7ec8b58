/** The region that is healing: one rimmed shape behind everything, the union of discs around its nodes. */
import { LinkKind } from '../tree'
import type { Scene } from './scene'

const RIM = 1.25
/** Fewer nodes than this that hang together are told by their triangles alone, unless they are all there is. */
const CLUSTER = 4

/** Radius of the disc around one node, px. */
const discRadius = (r: number): number => Math.max(7, Math.min(40, r * 3.9))

export function paintBlob(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const { theme, world, sx, sy, r } = scene
  const radius = discRadius(r)
  const discs = clustered(scene)
  const bridges: number[] = []
  for (let k = 0; k < world.m; k++)
    if (discs[world.from[k]!] && discs[world.to[k]!] && near(scene, k, radius * 3.4)) bridges.push(k)
  ctx.lineCap = 'round'
  // The rim first, everywhere; the fill then covers what of it lies inside the union.
  for (const [fill, grow] of [
    [theme.color.wrong, RIM],
    [theme.color['wrong-soft'], 0],
  ] as const) {
    ctx.fillStyle = ctx.strokeStyle = fill
    ctx.lineWidth = radius * 1.35 + 2 * grow
    for (const k of bridges) {
      ctx.beginPath()
      ctx.moveTo(sx[world.from[k]!]!, sy[world.from[k]!]!)
      ctx.lineTo(sx[world.to[k]!]!, sy[world.to[k]!]!)
      ctx.stroke()
    }
    for (let v = 0; v < world.n; v++) {
      if (!discs[v]) continue
      ctx.beginPath()
      ctx.arc(sx[v]!, sy[v]!, radius + grow, 0, 2 * Math.PI)
      ctx.fill()
    }
  }
}

/** Marks the nodes of the region that hang together in groups large enough to be a place. */
export function clustered({ world, region, kind }: Pick<Scene, 'world' | 'region' | 'kind'>): Uint8Array {
  const group = Int32Array.from({ length: world.n }, (_, v) => v)
  const top = (v: number): number => {
    while (group[v] !== v) v = group[v] = group[group[v]!]!
    return v
  }
  for (let k = 0; k < world.m; k++) {
    const [a, b] = [world.from[k]!, world.to[k]!]
    if (region[a] && region[b] && kind[k] !== LinkKind.dead) group[top(a)] = top(b)
  }
  const size = new Int32Array(world.n)
  let total = 0
  for (let v = 0; v < world.n; v++)
    if (region[v]) {
      size[top(v)]!++
      total++
    }
  return region.map((inside, v) => (inside && (total < CLUSTER || size[top(v)]! >= CLUSTER) ? 1 : 0))
}

function near({ world, sx, sy }: Scene, k: number, distance: number): boolean {
  const a = world.from[k]!
  const b = world.to[k]!
  return Math.hypot(sx[a]! - sx[b]!, sy[a]! - sy[b]!) < distance
}
