/**
 * Where the picture stands: world coordinates to CSS pixels, with a mild stretch so that a network fills its pane.
 *
 * Pure arithmetic; gestures.ts feeds it and the views read it. `screen = world × scale × aspect + offset`.
 */
import type { Padding, Point } from './types'

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

export interface Frame {
  /** Pixels per world unit, before the aspect. */
  scale: number
  x: number
  y: number
}

/** How much wider or taller than true the picture may be drawn to fill its pane. */
export const STRETCH = 1.3
const CLOSER = 24
const FARTHER = 0.6

/** The frame that shows `box` inside `width` × `height` less `pad`, and the stretch that fills it. */
export function fitFrame(
  box: Box,
  width: number,
  height: number,
  pad: Padding,
  stretch = STRETCH,
): Frame & { ax: number; ay: number } {
  const w = Math.max(40, width - pad.left - pad.right)
  const h = Math.max(40, height - pad.top - pad.bottom)
  const bw = Math.max(1e-6, box.right - box.left)
  const bh = Math.max(1e-6, box.bottom - box.top)
  const sx = w / bw
  const sy = h / bh
  const scale = Math.min(sx, sy)
  const ax = Math.min(sx / scale, stretch)
  const ay = Math.min(sy / scale, stretch)
  return {
    scale,
    ax,
    ay,
    x: pad.left + w / 2 - ((box.left + box.right) / 2) * scale * ax,
    y: pad.top + h / 2 - ((box.top + box.bottom) / 2) * scale * ay,
  }
}

/** `frame` with everything `factor` times as large, the point (px, py) staying where it is. */
export function zoomed(frame: Frame, px: number, py: number, factor: number): Frame {
  return { scale: frame.scale * factor, x: px + (frame.x - px) * factor, y: py + (frame.y - py) * factor }
}

/**
 * Between two frames at `u` in 0 … 1: scale grows evenly to the eye (geometrically), and one point of the world
 * moves in a straight line.
 */
export function between(a: Frame, b: Frame, u: number): Frame {
  const ratio = b.scale / a.scale
  if (Math.abs(ratio - 1) < 1e-6)
    return { scale: b.scale, x: a.x + (b.x - a.x) * u, y: a.y + (b.y - a.y) * u }
  const scale = a.scale * ratio ** u
  const share = (scale - a.scale) / (b.scale - a.scale)
  return { scale, x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
}

/** Slow at both ends. */
export function ease(u: number): number {
  return u < 0.5 ? 4 * u * u * u : 1 - (2 - 2 * u) ** 3 / 2
}

export class Camera {
  scale = 1
  x = 0
  y = 0
  ax = 1
  ay = 1
  width = 0
  height = 0
  /** Raised with every move, so that layers can tell whether they are where they were painted. */
  version = 0
  /** The scale at which everything fits; limits are multiples of it. */
  fitted = 1
  private flight: { from: Frame; to: Frame; start: number; lasts: number } | null = null

  screenX(wx: number): number {
    return wx * this.scale * this.ax + this.x
  }

  screenY(wy: number): number {
    return wy * this.scale * this.ay + this.y
  }

  worldAt(px: number, py: number): Point {
    return { x: (px - this.x) / (this.scale * this.ax), y: (py - this.y) / (this.scale * this.ay) }
  }

  set(to: Frame): void {
    const scale = this.clamp(to.scale)
    if (scale === this.scale && to.x === this.x && to.y === this.y) return
    this.scale = scale
    this.x = to.x
    this.y = to.y
    this.version++
  }

  /** Shows all of `box`; glides there when `lasts` (ms) is not 0. */
  fit(box: Box, pad: Padding, now = 0, lasts = 0): void {
    const to = fitFrame(box, this.width, this.height, pad)
    this.fitted = to.scale
    if (to.ax !== this.ax || to.ay !== this.ay) {
      this.ax = to.ax
      this.ay = to.ay
      this.version++
    }
    this.glide(to, now, lasts)
  }

  /** Frames `box` within the present stretch, not closer than `closest` times the fitted scale. */
  show(box: Box, pad: Padding, now: number, lasts: number, closest = 4): void {
    const seen = {
      left: box.left * this.ax,
      right: box.right * this.ax,
      top: box.top * this.ay,
      bottom: box.bottom * this.ay,
    }
    let to: Frame = fitFrame(seen, this.width, this.height, pad, 1)
    const most = this.fitted * closest
    if (to.scale > most) {
      const cx = pad.left + (this.width - pad.left - pad.right) / 2
      const cy = pad.top + (this.height - pad.top - pad.bottom) / 2
      to = zoomed(to, cx, cy, most / to.scale)
    }
    this.glide(to, now, lasts)
  }

  pan(dx: number, dy: number): void {
    this.flight = null
    this.set({ scale: this.scale, x: this.x + dx, y: this.y + dy })
  }

  zoomAt(px: number, py: number, factor: number): void {
    this.flight = null
    this.set(zoomed(this, px, py, this.clamp(this.scale * factor) / this.scale))
  }

  glide(to: Frame, now: number, lasts: number): void {
    this.flight = null
    if (lasts <= 0) this.set(to)
    else this.flight = { from: { scale: this.scale, x: this.x, y: this.y }, to, start: now, lasts }
  }

  /** Moves on along a glide; true while one is under way. */
  step(now: number): boolean {
    const f = this.flight
    if (!f) return false
    const u = Math.min(1, Math.max(0, (now - f.start) / f.lasts))
    this.set(between(f.from, f.to, ease(u)))
    if (u >= 1) this.flight = null
    return true
  }

  get gliding(): boolean {
    return this.flight !== null
  }

  private clamp(scale: number): number {
    return Math.min(this.fitted * CLOSER, Math.max(this.fitted * FARTHER, scale))
  }
}
