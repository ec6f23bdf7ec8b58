/** The whole run in one line: how much was wrong when, faults, and the window that the lanes show. */
import type { Curves, Mark } from '../../model'
import { glyph } from '../glyphs'
import { paint } from '../paint'
import type { Theme } from '../theme'
import type { Lane } from '../types'
import { tickLabel, type Window } from './geometry'

/** Largest count of wrong variables, all layers together, for every pixel of the overview. */
export class Bins {
  private most = new Float64Array(0)
  private read = 0
  private scale = 0
  private curves: Curves | null = null
  private first = NaN

  /** Takes in new samples; starts over when the run or the scale is another. */
  update(curves: Curves, width: number, length: number): Float64Array {
    const scale = width / length
    const first = curves.t[0] ?? NaN
    const another =
      curves !== this.curves || scale !== this.scale || curves.size < this.read || first !== this.first
    if (another || this.most.length !== Math.ceil(width)) {
      this.most = new Float64Array(Math.max(1, Math.ceil(width)))
      this.read = 0
      this.scale = scale
      this.curves = curves
      this.first = first
    }
    // The last sample again: while nothing changes it moves along instead of being followed by another.
    for (let i = Math.max(0, this.read - 1); i < curves.size; i++) {
      let total = 0
      for (const w of curves.wrong) total += w[i]!
      const from = Math.floor((i ? curves.t[i - 1]! : curves.t[i]!) * scale)
      const to = Math.floor(curves.t[i]! * scale)
      for (let x = Math.max(0, Math.min(from + 1, to)); x <= to && x < this.most.length; x++)
        this.most[x] = Math.max(this.most[x]!, total)
    }
    this.read = curves.size
    return this.most
  }
}

export function paintOverview(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  lane: Lane,
  width: number,
  length: number,
  now: number,
  window: Window,
  bins: Float64Array,
  marks: readonly Mark[],
): void {
  const x = (t: number): number => (t / length) * width
  const brush = { left: x(window.from), right: Math.min(width, x(window.to)) }
  ctx.fillStyle = theme.color.sunk
  ctx.strokeStyle = theme.color['line-2']
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.roundRect(brush.left + 0.5, lane.top + 4.5, Math.max(6, brush.right - brush.left - 1), 27, 4)
  ctx.fill()
  ctx.stroke()
  const base = lane.base
  const peak = Math.sqrt(
    Math.max(
      1,
      bins.reduce((a, b) => Math.max(a, b), 0),
    ),
  )
  ctx.fillStyle = theme.color.wrong
  // Samples may be ahead of the time shown.
  for (let i = 0; i < Math.min(bins.length, x(now)); i++) {
    if (!bins[i]) continue
    const h = Math.max(1, (Math.sqrt(bins[i]!) / peak) * 15)
    ctx.fillRect(i, base - 1 - h, 1, h)
  }
  ctx.strokeStyle = theme.color.ink
  ctx.lineWidth = 2
  ctx.lineCap = 'butt'
  ctx.beginPath()
  ctx.moveTo(0, base)
  ctx.lineTo(Math.min(width, x(now)), base)
  ctx.stroke()
  const cross = glyph('cross', 2.4)
  for (const m of marks)
    if (m.kind === 'fault' || m.kind === 'corrupt') paint(ctx, cross, theme, x(m.t), base)
  ctx.fillStyle = theme.color.ink
  ctx.beginPath()
  ctx.arc(x(now), base, 4, 0, 2 * Math.PI)
  ctx.fill()
  const text = tickLabel(length, 1)
  ctx.font = `11px ${theme.sans}`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'alphabetic'
  // The end of the run is named unless the run, or the window, has come there.
  if (x(now) < width - 50 && brush.right < width - 40) {
    ctx.fillStyle = theme.color['ink-3']
    ctx.fillText(text, width, base + 4)
  }
}
