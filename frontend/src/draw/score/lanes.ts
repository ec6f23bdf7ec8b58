/** The layers' lanes: a flat teal line while legitimate, a hatched hump with its peak while not. */
import { count, share } from '../../format'
import type { Curves } from '../../model'
import type { Reached, Share } from '../../reached'
import { fade, hatch, type Theme } from '../theme'
import type { ScoreGeometry } from '../types'
import { tickLabel, tickSeconds, type Window } from './geometry'
import { humps, valueAt, type Hump } from './humps'

export interface LaneScene {
  geometry: ScoreGeometry
  curves: Curves
  theme: Theme
  window: Window
  width: number
  now: number
  /** Count that fills each lane. */
  scale: readonly number[]
  reached: Reached | null
}

export const timeToX = ({ window, width }: Pick<LaneScene, 'window' | 'width'>, t: number): number =>
  ((t - window.from) / (window.to - window.from)) * width

const top = (g: ScoreGeometry): number => g.layers[0]?.top ?? 0
const bottom = (g: ScoreGeometry): number => {
  const last = g.delivery ?? g.layers[g.layers.length - 1]
  return last ? last.top + last.height : 0
}

/** What is not simulated yet, and the ticks of the time axis. */
export function paintAxis(ctx: CanvasRenderingContext2D, s: LaneScene): void {
  const { geometry: g, theme, window: w, width } = s
  const ahead = Math.max(0, timeToX(s, s.now))
  if (ahead < width) {
    ctx.fillStyle = hatch(ctx, theme.color.line, null, 1, 6)
    ctx.fillRect(ahead, 0, width - ahead, bottom(g))
  }
  const step = tickSeconds(w.to - w.from, width)
  ctx.strokeStyle = theme.color.line
  ctx.fillStyle = theme.color['ink-3']
  ctx.font = `11px ${theme.sans}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'alphabetic'
  ctx.lineWidth = 1
  ctx.beginPath()
  for (let t = Math.ceil(w.from / step) * step; t <= w.to; t += step) {
    const x = Math.round(timeToX(s, t)) + 0.5
    ctx.moveTo(x, top(g))
    ctx.lineTo(x, bottom(g))
    // A number that would be cut by the edge says less than none.
    if (g.axis && x > 12 && x < width - 14) ctx.fillText(tickLabel(t, step), x, g.axis.base)
  }
  ctx.stroke()
}

export function paintLayers(ctx: CanvasRenderingContext2D, s: LaneScene): void {
  const { geometry: g, curves: c, window: w, width } = s
  const end = Math.min(s.now, w.to)
  const resolution = (w.to - w.from) / Math.max(1, width)
  // Samples may be ahead of the time shown.
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, 0, timeToX(s, end) + 0.5, bottom(g))
  ctx.clip()
  g.layers.forEach((lane, layer) => {
    const wrong = c.wrong[layer]
    if (!wrong || !c.size) return
    const stretches = humps(c.t, wrong, c.size, w.from, end, resolution)
    paintLine(ctx, s, lane.base, stretches, end)
    const most = Math.sqrt(Math.max(1, s.scale[layer] ?? 1))
    const height = (peak: number): number => lane.base - (Math.sqrt(peak) / most) * (lane.height - 8)
    stretches.forEach((hump) => paintHump(ctx, s, hump, lane.base, height, end))
  })
  ctx.restore()
}

/** The base line, left out where a hump stands. */
function paintLine(
  ctx: CanvasRenderingContext2D,
  s: LaneScene,
  base: number,
  stretches: readonly Hump[],
  end: number,
): void {
  ctx.strokeStyle = s.theme.color.legit
  ctx.lineWidth = 2
  ctx.lineCap = 'butt'
  ctx.beginPath()
  let from = Math.max(s.window.from, s.curves.t[0]!)
  for (const hump of stretches) {
    if (hump.t[0]! > from) {
      ctx.moveTo(timeToX(s, from), base)
      ctx.lineTo(timeToX(s, hump.t[0]!), base)
    }
    from = hump.open ? Infinity : hump.t[hump.t.length - 1]!
  }
  if (from < end) {
    ctx.moveTo(timeToX(s, from), base)
    ctx.lineTo(timeToX(s, end), base)
  }
  ctx.stroke()
}

function paintHump(
  ctx: CanvasRenderingContext2D,
  s: LaneScene,
  hump: Hump,
  base: number,
  height: (count: number) => number,
  end: number,
): void {
  const { theme } = s
  const left = timeToX(s, hump.t[0]!)
  ctx.beginPath()
  ctx.moveTo(left, base)
  hump.t.forEach((t, i) => ctx.lineTo(timeToX(s, t), height(hump.wrong[i]!)))
  let right = timeToX(s, hump.t[hump.t.length - 1]!)
  if (hump.open) {
    right = Math.max(right, timeToX(s, end))
    ctx.lineTo(right, height(hump.wrong[hump.wrong.length - 1]!))
    ctx.lineTo(right, base)
  }
  ctx.closePath()
  ctx.fillStyle = hatch(ctx, theme.color.wrong, theme.color['wrong-soft'], 2, 5)
  ctx.fill()
  ctx.strokeStyle = theme.color['wrong-ink']
  ctx.lineWidth = 1.3
  ctx.lineJoin = 'round'
  ctx.stroke()
  if (!s.geometry.events || right - left < 3) return
  ctx.font = `11px ${theme.sans}`
  ctx.textBaseline = 'alphabetic'
  ctx.textAlign = 'right'
  ctx.lineWidth = 3
  ctx.strokeStyle = theme.color.panel
  const text = count(hump.peak)
  // Before the hump; a hump that began out of sight has its number on it.
  const x =
    left > ctx.measureText(text).width + 8 ? left - 7 : Math.max(left, 0) + ctx.measureText(text).width + 5
  ctx.fillStyle = x < left ? theme.color['ink-3'] : theme.color.ink
  ctx.strokeText(text, x, base - 5)
  ctx.fillText(text, x, base - 5)
}

/** The share of subscribers reached over the minute before: a curve under its line for all of them. */
export function paintDelivery(ctx: CanvasRenderingContext2D, s: LaneScene): void {
  const { geometry: g, theme, window: w, width, reached } = s
  const lane = g.delivery
  if (!lane) return
  const full = lane.top + 7
  const end = Math.min(width, Math.max(0, timeToX(s, s.now)))
  ctx.strokeStyle = theme.color['line-2']
  ctx.lineWidth = 1
  ctx.setLineDash([2, 3])
  ctx.beginPath()
  ctx.moveTo(0, full - 0.5)
  ctx.lineTo(end, full - 0.5)
  ctx.stroke()
  ctx.setLineDash([])
  if (!reached?.size) return
  const times = Array.from({ length: Math.ceil(end) + 1 }, (_, x) =>
    Math.min(s.now, w.from + (x / width) * (w.to - w.from)),
  )
  const shares = reached.over(times, s.now)
  const y = ({ reached: got, expected }: Share): number => lane.base - (got / expected) * (lane.base - full)
  ctx.fillStyle = theme.color['pub-soft']
  ctx.strokeStyle = theme.color.pub
  ctx.lineWidth = 1.6
  ctx.lineJoin = 'round'
  for (let x = 0; x < shares.length; x++) {
    if (!shares[x]) continue
    const from = x
    const line = new Path2D()
    line.moveTo(x, y(shares[x]!))
    while (x + 1 < shares.length && shares[x + 1]) line.lineTo(++x, y(shares[x]!))
    const area = new Path2D(line)
    area.lineTo(x, lane.base)
    area.lineTo(from, lane.base)
    ctx.fill(area)
    ctx.stroke(line)
  }
}

export function paintPlayhead(ctx: CanvasRenderingContext2D, s: LaneScene): void {
  const x = timeToX(s, s.now)
  if (x < -1 || x > s.width + 1) return
  ctx.strokeStyle = ctx.fillStyle = s.theme.color.ink
  ctx.lineWidth = 1.6
  ctx.beginPath()
  ctx.moveTo(x, -4)
  ctx.lineTo(x, bottom(s.geometry))
  ctx.stroke()
  ctx.beginPath()
  ctx.arc(x, -4, 5.5, 0, 2 * Math.PI)
  ctx.fill()
}

/** Under the pointer: the time, and how much was wrong then. */
export function paintReading(ctx: CanvasRenderingContext2D, s: LaneScene, x: number): void {
  const { geometry: g, curves: c, theme, window: w, width } = s
  const t = w.from + (x / width) * (w.to - w.from)
  if (t > s.now || t < 0) return
  ctx.strokeStyle = theme.color['line-2']
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(Math.round(x) + 0.5, top(g))
  ctx.lineTo(Math.round(x) + 0.5, bottom(g))
  ctx.stroke()
  const right = x < Math.min(width, timeToX(s, s.now)) - 68
  ctx.textAlign = right ? 'left' : 'right'
  ctx.textBaseline = 'alphabetic'
  ctx.font = `600 11px ${theme.sans}`
  ctx.lineJoin = 'round'
  ctx.lineWidth = 4
  ctx.strokeStyle = fade(theme.color.panel, 0.92)
  const write = (text: string, y: number, color: string): void => {
    ctx.fillStyle = color
    ctx.strokeText(text, x + (right ? 6 : -6), y)
    ctx.fillText(text, x + (right ? 6 : -6), y)
  }
  g.layers.forEach((lane, layer) => {
    const value = c.wrong[layer] ? valueAt(c.t, c.wrong[layer], c.size, t) : null
    if (value) write(`${value} wrong`, lane.base - 6, theme.color['wrong-ink'])
  })
  const got = s.reached?.at(t, s.now)
  if (g.delivery && got) write(share(got.reached, got.expected), g.delivery.base - 6, theme.color.pub)
  if (g.axis) {
    ctx.textAlign = 'center'
    const text = `${t.toFixed(2)} s`
    const half = ctx.measureText(text).width / 2 + 5
    const at = Math.min(width - half, Math.max(half, x))
    ctx.fillStyle = theme.color.panel
    ctx.fillRect(at - half, g.axis.top + 1, 2 * half, 16)
    ctx.fillStyle = theme.color.ink
    ctx.fillText(text, at, g.axis.base)
  }
}
