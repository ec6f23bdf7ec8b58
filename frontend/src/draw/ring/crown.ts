/** The ring at rest: circle, spokes as long as nodes are deep, shortcuts inside, what is wrong, numbers outside. */
import { hatch, type Theme } from '../theme'
import type { RingGeometry } from './geometry'
import { runs, tickStep } from './model'
import { paintPositions } from './positions'
import type { RingScene } from './scene'

/** Up to so many positions all shortcuts are drawn; beyond, a sample. */
const ALL_CHORDS = 500
const SAMPLE = 90

export function paintCrown(ctx: CanvasRenderingContext2D, scene: RingScene): void {
  const { ring, g, theme } = scene
  ctx.lineCap = 'butt'
  if (ring.length === 0) {
    paintCircle(ctx, scene)
    paintUnfinished(ctx, scene)
    return
  }
  paintSpokes(ctx, scene)
  paintBands(ctx, scene)
  paintChords(ctx, scene)
  paintCircle(ctx, scene)
  paintPositions(ctx, scene, null, new Set())
  paintNumbers(ctx, g, theme)
  if (ring.placed < ring.members) paintUnfinished(ctx, scene)
}

function isWrong({ ring, state, wrongMask }: RingScene, p: number): boolean {
  const v = ring.owner[p]!
  return v >= 0 && (state.flags[v]! & wrongMask) !== 0
}

function paintSpokes(ctx: CanvasRenderingContext2D, scene: RingScene): void {
  const { ring, g, state, theme } = scene
  ctx.lineWidth = Math.max(0.7, Math.min(5, g.pitch * 0.62))
  for (const wrong of [false, true]) {
    ctx.strokeStyle = wrong ? theme.color.wrong : theme.color.crown
    ctx.beginPath()
    for (let p = 0; p < ring.length; p++) {
      const v = ring.owner[p]!
      const depth = v >= 0 ? Math.min(state.depth[v]!, ring.deepest) : 0
      if (depth <= 0 || isWrong(scene, p) !== wrong) continue
      const a = g.at(p, g.foot)
      const b = g.at(p, g.foot + 1 + depth * g.hop)
      ctx.moveTo(a.x, a.y)
      ctx.lineTo(b.x, b.y)
    }
    ctx.stroke()
  }
}

function paintBands(ctx: CanvasRenderingContext2D, scene: RingScene): void {
  const { ring, g, theme } = scene
  ctx.fillStyle = hatch(ctx, theme.color.wrong, theme.color['wrong-soft'], 2, 5)
  ctx.strokeStyle = theme.color['wrong-ink']
  ctx.lineWidth = 1
  for (const [first, last] of runs(ring.length, (p) => isWrong(scene, p), 2)) {
    const whole = last - first >= ring.length - 3
    const [from, to] = whole ? [0, ring.length] : [first - 0.4, last + 0.4]
    ctx.beginPath()
    ctx.arc(g.cx, g.cy, g.radius - 10, g.angle(from), g.angle(to))
    if (whole) ctx.moveTo(g.cx, g.cy - g.radius)
    ctx.arc(g.cx, g.cy, g.radius, g.angle(to), g.angle(from), true)
    ctx.closePath()
    ctx.fill()
    ctx.stroke()
  }
}

function paintChords(ctx: CanvasRenderingContext2D, { ring, g, theme, chords }: RingScene): void {
  const pairs = chords.length / 2
  const step = ring.length > ALL_CHORDS ? Math.max(1, Math.ceil(pairs / SAMPLE)) : 1
  ctx.strokeStyle = theme.color.chord
  ctx.lineWidth = 0.8
  ctx.globalAlpha = 0.5
  ctx.beginPath()
  for (let i = 0; i < pairs; i += step) addChord(ctx, g, chords[2 * i]!, chords[2 * i + 1]!)
  ctx.stroke()
  ctx.globalAlpha = 1
}

export function addChord(ctx: CanvasRenderingContext2D, g: RingGeometry, p: number, q: number): void {
  const { a, b, c } = g.chord(p, q)
  ctx.moveTo(a.x, a.y)
  ctx.quadraticCurveTo(c.x, c.y, b.x, b.y)
}

/** The circle: solid where positions are taken, dotted where nobody is yet. */
function paintCircle(ctx: CanvasRenderingContext2D, { ring, g, theme }: RingScene): void {
  ctx.lineWidth = 1.6
  const taken = ring.length > 0 && !ring.owner.includes(-1)
  if (!taken) {
    ctx.strokeStyle = theme.color['line-2']
    ctx.setLineDash([2, 4])
    ctx.beginPath()
    ctx.arc(g.cx, g.cy, g.radius, 0, 2 * Math.PI)
    ctx.stroke()
    ctx.setLineDash([])
  }
  ctx.strokeStyle = theme.color.ink
  ctx.beginPath()
  if (taken) ctx.arc(g.cx, g.cy, g.radius, 0, 2 * Math.PI)
  else
    for (let p = 0; p < ring.length; p++) {
      if (ring.owner[p]! < 0) continue
      const start = g.at(p - 0.5)
      ctx.moveTo(start.x, start.y)
      ctx.arc(g.cx, g.cy, g.radius, g.angle(p - 0.5), g.angle(p + 0.5))
    }
  ctx.stroke()
}

function paintNumbers(ctx: CanvasRenderingContext2D, g: RingGeometry, theme: Theme): void {
  const step = tickStep(g.length)
  ctx.font = `11px ${theme.sans}`
  ctx.fillStyle = theme.color['ink-3']
  ctx.textAlign = 'center'
  ctx.textBaseline = 'alphabetic'
  for (let p = 0; p < g.length; p += step) {
    // The last number must not run into the 0.
    if (p > 0 && g.length - p < step * 0.4) continue
    // Beside the circle numbers need their width beyond the spokes, above and below it their height.
    const half = ctx.measureText(String(p)).width / 2
    const at = g.at(p, g.foot + 8 + g.hop * Math.max(g.deepest, 3) + half * Math.abs(Math.cos(g.angle(p))))
    ctx.fillText(String(p), at.x, at.y + 3.5)
  }
}

/** How far the ring has come, in the middle of it. */
function paintUnfinished(ctx: CanvasRenderingContext2D, { ring, g, theme }: RingScene): void {
  const write = (text: string, font: string, y: number, color: string): void => {
    ctx.font = font
    ctx.strokeText(text, g.cx, y)
    ctx.fillStyle = color
    ctx.fillText(text, g.cx, y)
  }
  ctx.textAlign = 'center'
  ctx.textBaseline = 'alphabetic'
  ctx.lineJoin = 'round'
  ctx.strokeStyle = theme.color.paper
  ctx.lineWidth = 5
  const big = g.radius > 70
  write(`${ring.placed} of ${ring.members}`, `650 ${big ? 19 : 15}px ${theme.sans}`, g.cy, theme.color.ink)
  write(
    'nodes have positions',
    `${big ? 13 : 11}px ${theme.sans}`,
    g.cy + (big ? 20 : 16),
    theme.color['ink-2'],
  )
}
