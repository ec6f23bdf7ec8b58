/** Trails of publications, and the messages in flight on top of the nodes. */
import type { Flights, MessageKind } from '../../model'
import type { Heads } from '../heads'
import { LOSSES } from '../glyphs'
import { LOST_AT, visitFlights, visitLosses, type Hop, type Paths } from '../paths'
import type { Scene } from './scene'

/** The path of the current publication, thick, as far as it has come; older ones thin. */
export function paintTrails(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  paths: Paths,
  now: number,
  still: boolean,
): void {
  const { theme, r } = scene
  const size = Math.min(1.7, Math.max(0.55, r / 3.9))
  ctx.lineCap = 'round'
  ctx.lineJoin = 'round'
  for (const list of paths.older) {
    ctx.strokeStyle = theme.color.path
    ctx.lineWidth = 1.1 * size
    strokeHops(ctx, scene, list, now, still, new Set())
  }
  const path = paths.path
  if (!path.length) return
  const seen = new Set<number>()
  ctx.strokeStyle = theme.color.paper
  ctx.lineWidth = 3.2 * size + 3.6
  strokeHops(ctx, scene, path, now, still, seen)
  seen.clear()
  ctx.strokeStyle = theme.color.pub
  ctx.lineWidth = 3.2 * size
  strokeHops(ctx, scene, path, now, still, seen)
}

function strokeHops(
  ctx: CanvasRenderingContext2D,
  { world, sx, sy }: Scene,
  hops: readonly Hop[],
  now: number,
  still: boolean,
  seen: Set<number>,
): void {
  ctx.beginPath()
  for (const hop of hops) {
    if (hop.start > now) continue
    let u = hop.end > hop.start ? Math.min(1, (now - hop.start) / (hop.end - hop.start)) : 1
    if (still && u < 1) u = 0.5
    if (hop.lost) u = Math.min(u, LOST_AT)
    if (u >= 1) {
      // Paths run to and fro over the same links: once is enough.
      const key = Math.min(hop.from, hop.to) * world.n + Math.max(hop.from, hop.to)
      if (seen.has(key)) continue
      seen.add(key)
    }
    const [x, y] = [sx[hop.from]!, sy[hop.from]!]
    ctx.moveTo(x, y)
    ctx.lineTo(x + (sx[hop.to]! - x) * u, y + (sy[hop.to]! - y) * u)
  }
  ctx.stroke()
}

/** Gathers the messages in flight and paints them; what was lost bursts beside whom it did not reach. */
export function paintMessages(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  heads: Heads,
  flights: Flights,
  kinds: readonly MessageKind[],
  now: number,
  speed: number,
  longest: number,
  still: boolean,
): void {
  const { sx, sy, theme, world, r } = scene
  // Right-hand traffic: what travels against each other does not overlap.
  const lane = Math.max(1.5, Math.min(4, r * 0.75))
  heads.clear()
  visitFlights(flights, now, speed, longest, kinds, (k, u, strength) => {
    const a = flights.from[k]!
    const b = flights.to[k]!
    if (a >= world.n || b >= world.n) return
    const [dx, dy] = [sx[b]! - sx[a]!, sy[b]! - sy[a]!]
    const angle = Math.atan2(dy, dx)
    const of = kinds[flights.kind[k]!]?.shape ?? 'structure'
    const aside = of === 'publication' ? 0 : lane
    const along = still ? 0.5 : Math.min(1, u)
    const x = sx[a]! + dx * along - Math.sin(angle) * aside
    const y = sy[a]! + dy * along + Math.cos(angle) * aside
    heads.add(of, x, y, angle, strength)
  })
  const arrow = Math.max(4.2, Math.min(14, 2.35 * r))
  const { losses } = flights
  visitLosses(losses, now, speed, (k, u) => {
    const [at, other] = [losses.node[k]!, losses.from[k]!]
    if (at >= world.n || other >= world.n) return
    const angle = Math.atan2(sy[at]! - sy[other]!, sx[at]! - sx[other]!)
    const away = r + arrow + 2
    const of = kinds[losses.kind[k]!]?.shape ?? 'structure'
    const reason = LOSSES[losses.reason[k]!] ?? 'loss'
    heads.burst(of, reason, sx[at]! - Math.cos(angle) * away, sy[at]! - Math.sin(angle) * away, angle, u)
  })
  heads.paint(ctx, theme, arrow, Math.max(2.2, Math.min(6, 0.85 * r)))
}
