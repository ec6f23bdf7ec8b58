/** Where things lie on the drawn ring: position 0 at the top, counting clockwise. */
import type { Padding, Point } from '../types'

/** Longest spoke, and length per hop of depth. */
const SPOKE = 33
const HOP = 8
/** In a network of so few nodes each position is a circle with its node's name. */
const NAMED = 13

export class RingGeometry {
  readonly cx: number
  readonly cy: number
  readonly radius: number
  /** Spoke length per hop of depth. */
  readonly hop: number
  /** Radius of the named circles of a small ring; 0: too many positions for that. */
  readonly knob: number

  constructor(
    width: number,
    height: number,
    pad: Padding,
    readonly length: number,
    readonly deepest: number,
    members: number,
  ) {
    const w = width - pad.left - pad.right
    const h = height - pad.top - pad.bottom
    this.cx = pad.left + w / 2
    this.cy = pad.top + h / 2
    const half = Math.min(w, h) / 2
    this.hop = Math.min(HOP, SPOKE / Math.max(1, deepest))
    // Outside the circle: the spokes, and beside them the longest number.
    const margin = 16 + this.hop * Math.max(deepest, 3) + 6.2 * String(length).length
    const radius = Math.max(24, half - Math.min(margin, half * 0.45))
    const room = (2 * Math.PI * radius) / Math.max(1, length)
    this.knob = length > 0 && members <= NAMED && room > 24 ? Math.min(13, room * 0.36) : 0
    this.radius = radius - this.knob * 0.7
  }

  angle(p: number): number {
    return (p / Math.max(1, this.length)) * 2 * Math.PI - Math.PI / 2
  }

  at(p: number, radius = this.radius): Point {
    const a = this.angle(p)
    return { x: this.cx + Math.cos(a) * radius, y: this.cy + Math.sin(a) * radius }
  }

  /** Where spokes begin, outside the circle. */
  get foot(): number {
    return this.radius + Math.max(4, this.knob + 3)
  }

  /** Width of one position along the circle, px. */
  get pitch(): number {
    return (2 * Math.PI * this.radius) / Math.max(1, this.length)
  }

  /** The curve of a chord: ends on the circle, control point drawn towards the centre. */
  chord(p: number, q: number, bend = 0.32): { a: Point; b: Point; c: Point } {
    const a = this.at(p, this.radius - 1)
    const b = this.at(q, this.radius - 1)
    const pull = bend * Math.min(1, Math.hypot(a.x - b.x, a.y - b.y) / this.radius)
    const mx = (a.x + b.x) / 2
    const my = (a.y + b.y) / 2
    return { a, b, c: { x: mx + (this.cx - mx) * pull, y: my + (this.cy - my) * pull } }
  }

  /** Which position a point is at, or -1 away from the circle and its spokes. */
  positionAt(x: number, y: number, inside: number, outside: number): number {
    const d = Math.hypot(x - this.cx, y - this.cy)
    if (this.length === 0 || d < this.radius - inside || d > this.radius + outside) return -1
    const turn = (Math.atan2(y - this.cy, x - this.cx) + Math.PI / 2) / (2 * Math.PI)
    return Math.round((turn - Math.floor(turn)) * this.length) % this.length
  }
}

/** A point of a quadratic curve and its direction there. */
export function along({ a, b, c }: { a: Point; b: Point; c: Point }, u: number): Point & { angle: number } {
  const v = 1 - u
  return {
    x: v * v * a.x + 2 * u * v * c.x + u * u * b.x,
    y: v * v * a.y + 2 * u * v * c.y + u * u * b.y,
    angle: Math.atan2(v * (c.y - a.y) + u * (b.y - c.y), v * (c.x - a.x) + u * (b.x - c.x)),
  }
}

/** The control point of the first `u` of a quadratic curve. */
export function firstPart({ a, c }: { a: Point; c: Point }, u: number): Point {
  return { x: a.x + (c.x - a.x) * u, y: a.y + (c.y - a.y) * u }
}
