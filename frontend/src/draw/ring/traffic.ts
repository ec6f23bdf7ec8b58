/** What moves on the ring: messages along the circle or a shortcut, the path of the publication, the node looked at. */
import type { Flights, MessageKind } from '../../model'
import type { Heads } from '../heads'
import { LOSSES } from '../glyphs'
import { LOST_AT, visitFlights, visitLosses, type Hop, type Paths } from '../paths'
import type { Point } from '../types'
import { addChord } from './crown'
import { along, firstPart, type RingGeometry } from './geometry'
import type { RingScene } from './scene'

/** Whether a hop goes to the following position, along the circle. */
const isStep = (from: number, to: number, length: number): boolean => (to - from + length) % length <= 1

export function paintPath(
  ctx: CanvasRenderingContext2D,
  scene: RingScene,
  paths: Paths,
  now: number,
  still: boolean,
): void {
  const { theme } = scene
  ctx.lineCap = 'round'
  for (const list of paths.older) strokePath(ctx, scene, list, now, still, theme.color.path, 0.9, 1.4)
  strokePath(ctx, scene, paths.path, now, still, theme.color.pub, 2, 3.4)
}

function strokePath(
  ctx: CanvasRenderingContext2D,
  { g, ring }: RingScene,
  hops: readonly Hop[],
  now: number,
  still: boolean,
  color: string,
  chordWidth: number,
  stepWidth: number,
): void {
  ctx.strokeStyle = color
  for (const steps of [true, false]) {
    ctx.lineWidth = steps ? stepWidth : chordWidth
    ctx.beginPath()
    for (const hop of hops) {
      const { fromPos: p, toPos: q } = hop
      if (hop.start > now || p < 0 || q < 0 || p >= ring.length || q >= ring.length) continue
      if (isStep(p, q, ring.length) !== steps) continue
      let u = hop.end > hop.start ? Math.min(1, (now - hop.start) / (hop.end - hop.start)) : 1
      if (still && u < 1) u = 0.5
      if (hop.lost) u = Math.min(u, LOST_AT)
      if (steps) {
        const a = g.at(p)
        ctx.moveTo(a.x, a.y)
        ctx.arc(g.cx, g.cy, g.radius, g.angle(p), g.angle(p + u))
      } else {
        const curve = g.chord(p, q)
        const end = along(curve, u)
        const control = firstPart(curve, u)
        ctx.moveTo(curve.a.x, curve.a.y)
        ctx.quadraticCurveTo(control.x, control.y, end.x, end.y)
      }
    }
    ctx.stroke()
  }
  // What lies ahead of a message that is under way, pale.
  ctx.globalAlpha = 0.3
  ctx.lineWidth = chordWidth
  ctx.beginPath()
  for (const { start, end, fromPos: p, toPos: q } of hops)
    if (
      start <= now &&
      now < end &&
      p >= 0 &&
      q >= 0 &&
      p < ring.length &&
      q < ring.length &&
      !isStep(p, q, ring.length)
    )
      addChord(ctx, g, p, q)
  ctx.stroke()
  ctx.globalAlpha = 1
}

export function paintRingMessages(
  ctx: CanvasRenderingContext2D,
  scene: RingScene,
  heads: Heads,
  flights: Flights,
  kinds: readonly MessageKind[],
  now: number,
  speed: number,
  longest: number,
  still: boolean,
): void {
  const { g, ring, theme, state } = scene
  heads.clear()
  visitFlights(flights, now, speed, longest, kinds, (k, u, strength) => {
    const p = flights.fromPos[k]!
    const q = flights.toPos[k]!
    if (p < 0 || q < 0 || p >= ring.length || q >= ring.length) return
    if (state.part[flights.to[k]!] !== ring.part) return
    const of = kinds[flights.kind[k]!]?.shape ?? 'structure'
    const at = placeAt(g, ring.length, p, q, still ? 0.5 : Math.min(1, u))
    heads.add(of, at.x, at.y, at.angle, strength)
  })
  const { losses } = flights
  visitLosses(losses, now, speed, (k, u) => {
    const v = losses.node[k]!
    const of = kinds[losses.kind[k]!]?.shape ?? 'structure'
    // Beacons do not travel on the ring.
    if (of === 'structure' || state.part[v] !== ring.part) return
    // Where it was meant to arrive; else at the node's first position.
    const first = state.posStart[v]!
    const p = losses.pos[k]! >= 0 ? losses.pos[k]! : first < state.posStart[v + 1]! ? state.pos[first]! : -1
    if (p < 0 || p >= ring.length) return
    const at = g.at(p, g.radius - (g.knob || 5) - 10)
    heads.burst(of, LOSSES[losses.reason[k]!] ?? 'loss', at.x, at.y, g.angle(p), u)
  })
  heads.paint(ctx, theme, 8, 2.9)
}

function placeAt(
  g: RingGeometry,
  length: number,
  p: number,
  q: number,
  u: number,
): Point & { angle: number } {
  if (isStep(p, q, length)) return { ...g.at(p + u), angle: g.angle(p + u) + Math.PI / 2 }
  // Back along the circle is how subscriptions travel to the position before.
  if (isStep(q, p, length)) return { ...g.at(p - u), angle: g.angle(p - u) - Math.PI / 2 }
  return along(g.chord(p, q), u)
}

/** The hovered node: dashed spokes to its positions. */
export function paintHovered(
  ctx: CanvasRenderingContext2D,
  { g, ring, theme }: RingScene,
  positions: readonly number[],
): void {
  ctx.strokeStyle = theme.color['ink-3']
  ctx.lineWidth = 1
  ctx.setLineDash([2, 3])
  ctx.beginPath()
  for (const p of positions) {
    if (p < 0 || p >= ring.length) continue
    const b = g.at(p)
    ctx.moveTo(g.cx, g.cy)
    ctx.lineTo(b.x, b.y)
  }
  ctx.stroke()
  ctx.setLineDash([])
  for (const p of positions)
    if (p >= 0 && p < ring.length) knob(ctx, g.at(p), 3.8, theme.color.paper, theme.color.ink, 1.6)
}

function knob(
  ctx: CanvasRenderingContext2D,
  at: Point,
  r: number,
  fill: string,
  stroke: string,
  width: number,
): void {
  ctx.fillStyle = fill
  ctx.strokeStyle = stroke
  ctx.lineWidth = width
  ctx.beginPath()
  ctx.arc(at.x, at.y, r, 0, 2 * Math.PI)
  ctx.fill()
  ctx.stroke()
}

/** The selected node: its positions joined, ringed and numbered. */
export function paintSelected(
  ctx: CanvasRenderingContext2D,
  { g, ring, theme }: RingScene,
  positions: readonly number[],
): void {
  const own = positions.filter((p) => p >= 0 && p < ring.length).sort((a, b) => a - b)
  if (!own.length) return
  ctx.strokeStyle = theme.color.ink
  ctx.lineWidth = 1.3
  ctx.lineJoin = 'round'
  ctx.beginPath()
  own.forEach((p, i) => {
    const at = g.at(p)
    if (i) ctx.lineTo(at.x, at.y)
    else ctx.moveTo(at.x, at.y)
  })
  ctx.closePath()
  ctx.globalAlpha = 0.05
  ctx.fillStyle = theme.color.ink
  ctx.fill()
  ctx.globalAlpha = 1
  ctx.stroke()
  if (g.knob) {
    // The circles with names are painted over this: a ring around each shows below them.
    for (const p of own) knob(ctx, g.at(p), g.knob + 3.5, theme.color.paper, theme.color.ink, 2.2)
    return
  }
  for (const p of own)
    knob(
      ctx,
      g.at(p),
      own.length > 16 ? 3.6 : 5.2,
      theme.color.paper,
      theme.color.ink,
      own.length > 16 ? 1.8 : 2.4,
    )
}

/** Positions that lie close together share one label: "160, 162". */
export function groupPositions(g: RingGeometry, positions: readonly number[], apart = 26): number[][] {
  const groups: number[][] = []
  for (const p of [...positions].sort((a, b) => a - b)) {
    const group = groups[groups.length - 1]
    if (group && (p - group[group.length - 1]!) * g.pitch < apart) group.push(p)
    else groups.push([p])
  }
  return groups
}

export function labelPositions(
  ctx: CanvasRenderingContext2D,
  scene: RingScene,
  positions: readonly number[],
  weight: number,
): void {
  const { g, ring, theme } = scene
  // On a small ring every position has its number already.
  if (g.knob) return
  const own = positions.filter((p) => p >= 0 && p < ring.length)
  const taken: { x: number; y: number; half: number }[] = []
  ctx.font = `${weight} 12px ${theme.sans}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'alphabetic'
  ctx.lineJoin = 'round'
  ctx.lineWidth = 4
  ctx.strokeStyle = theme.color.paper
  ctx.fillStyle = theme.color.ink
  for (const group of groupPositions(g, own)) {
    const first = group[0]!
    const last = group[group.length - 1]!
    const text = group.length > 4 ? `${first} … ${last}` : group.join(', ')
    const middle = (first + last) / 2
    // Flat text needs more room beside the circle than below it.
    const flat = Math.abs(Math.cos(g.angle(middle)))
    const half = ctx.measureText(text).width / 2
    const at = g.at(middle, g.radius - 16 - flat * (half + 2))
    // Where labels would run into each other the first one stands.
    if (taken.some((t) => Math.abs(t.x - at.x) < t.half + half + 4 && Math.abs(t.y - at.y) < 15)) continue
    taken.push({ ...at, half })
    ctx.strokeText(text, at.x, at.y + 4)
    ctx.fillText(text, at.x, at.y + 4)
  }
}
