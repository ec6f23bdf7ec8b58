/** Trails of publications, and the messages in flight on top of the nodes. */
import type { Flights, MessageKind } from '../../model'
import { paint, shape, type Part } from '../glyphs'
import { visitFlights, type Hop, type Paths } from '../paths'
import type { Theme } from '../theme'
import type { Scene } from './scene'

/** Above so many messages heads are painted as sprites without halo. */
const MANY = 160
const TURNS = 48
/** A lost message gets this far. */
const LOST_AT = 0.66

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

/** Messages in flight; returns how many were painted. */
export function paintMessages(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  flights: Flights,
  kinds: readonly MessageKind[],
  now: number,
  speed: number,
  longest: number,
  still: boolean,
  many: boolean,
): number {
  const { sx, sy, theme, world } = scene
  const size = Math.max(4.2, Math.min(14, 2.35 * scene.r))
  const ring = Math.max(2.2, Math.min(6, 0.85 * scene.r))
  // Right-hand traffic: what travels against each other does not overlap.
  const aside = Math.max(1.5, Math.min(4, scene.r * 0.75))
  const pub: Part[] = [{ d: shape.arrow(size), fill: 'pub', stroke: 'paper', width: 1.6 }]
  const bare: Part[] = [{ d: shape.arrow(size), fill: 'pub' }]
  const sub: Part[] = [
    { d: shape.circle(ring), fill: 'paper', stroke: 'sub', width: Math.max(1.5, ring * 0.53) },
  ]
  let count = 0
  visitFlights(flights, now, speed, longest, (k, u, strength) => {
    const a = flights.from[k]!
    const b = flights.to[k]!
    if (a >= world.n || b >= world.n) return
    const [dx, dy] = [sx[b]! - sx[a]!, sy[b]! - sy[a]!]
    const length = Math.hypot(dx, dy) || 1
    const kind = kinds[flights.kind[k]!]?.shape ?? 'structure'
    let along = still ? 0.5 : u
    count++
    const side = kind === 'publication' ? 0 : aside
    const lost = flights.lost[k] === 1
    if (lost && along >= LOST_AT) {
      const x = sx[a]! + dx * LOST_AT - (dy / length) * side
      const y = sy[a]! + dy * LOST_AT + (dx / length) * side
      const color = theme.color[kind === 'publication' ? 'pub' : kind === 'subscription' ? 'sub' : 'ink-3']
      burst(ctx, x, y, size, u < 1 ? ((u - LOST_AT) / (1 - LOST_AT)) * 0.5 : 1 - strength * 0.5, color)
      return
    }
    along = Math.min(1, along)
    const x = sx[a]! + dx * along - (dy / length) * side
    const y = sy[a]! + dy * along + (dx / length) * side
    ctx.globalAlpha = strength
    if (kind === 'structure') {
      // A tick across the link.
      const t = Math.min(3.2, scene.r)
      ctx.strokeStyle = theme.color['ink-3']
      ctx.lineWidth = 1.3
      ctx.beginPath()
      ctx.moveTo(x + (dy / length) * t, y - (dx / length) * t)
      ctx.lineTo(x - (dy / length) * t, y + (dx / length) * t)
      ctx.stroke()
    } else if (many) {
      const angle = kind === 'publication' ? Math.atan2(dy, dx) : 0
      stamp(ctx, kind === 'publication' ? bare : sub, theme, size + 2, x, y, angle)
    } else if (kind === 'publication') {
      // The point of the arrow leads; it must not run into the node it is going to.
      paint(ctx, pub, theme, x, y, Math.atan2(dy, dx))
    } else paint(ctx, sub, theme, x, y)
  })
  ctx.globalAlpha = 1
  return count
}

export const tooMany = (count: number): boolean => count > MANY

/** A message that did not arrive: rays that fly apart and fade. */
function burst(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  u: number,
  color: string,
): void {
  ctx.globalAlpha = 1 - u
  ctx.strokeStyle = color
  ctx.lineWidth = 1.6
  ctx.lineCap = 'round'
  ctx.beginPath()
  for (let i = 0; i < 6; i++) {
    const angle = (i * Math.PI) / 3 + 0.4
    const inner = size * (0.25 + 0.7 * u)
    const outer = size * (0.65 + 0.85 * u)
    ctx.moveTo(x + Math.cos(angle) * inner, y + Math.sin(angle) * inner)
    ctx.lineTo(x + Math.cos(angle) * outer, y + Math.sin(angle) * outer)
  }
  ctx.stroke()
  ctx.globalAlpha = 1
}

const stamps = new Map<string, HTMLCanvasElement>()

/** Paints a glyph through a sprite for its direction. */
function stamp(
  ctx: CanvasRenderingContext2D,
  parts: Part[],
  theme: Theme,
  half: number,
  x: number,
  y: number,
  angle: number,
): void {
  const ratio = ctx.getTransform().a || 1
  const turn = Math.round((angle / (2 * Math.PI)) * TURNS)
  const key = `${parts[0]!.d}/${turn}/${theme.version}/${ratio}`
  let image = stamps.get(key)
  if (!image) {
    if (stamps.size > 400) stamps.clear()
    image = document.createElement('canvas')
    image.width = image.height = Math.ceil(2 * half * ratio)
    const c = image.getContext('2d')!
    c.scale(ratio, ratio)
    paint(c, parts, theme, half, half, (turn / TURNS) * 2 * Math.PI)
    stamps.set(key, image)
  }
  ctx.drawImage(image, x - half, y - half, image.width / ratio, image.height / ratio)
}
