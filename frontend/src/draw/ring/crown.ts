/** The ring at rest: circle, spokes as long as nodes are deep, shortcuts inside, what is wrong, numbers outside. */
import { FLAG, type State } from '../../model'
import { hatch, type Theme } from '../theme'
import type { RingGeometry } from './geometry'
import { runs, tickStep, type Part, type Ring } from './model'

/** Up to so many positions all shortcuts are drawn; beyond, a sample. */
const ALL_CHORDS = 500
const SAMPLE = 90

export interface RingScene {
  ring: Ring
  g: RingGeometry
  state: State
  theme: Theme
  chords: Int32Array
  wrongMask: number
}

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

/** Dots at subscribers' positions, magenta once delivered; `which` null: all of them. */
export function paintPositions(
  ctx: CanvasRenderingContext2D,
  { ring, g, state, theme }: RingScene,
  which: Iterable<number> | null,
  delivered: ReadonlySet<number>,
): void {
  if (g.knob) return
  const r = Math.max(1.6, Math.min(3.4, 1.4 + g.pitch))
  const dot = (p: number): void => {
    const v = ring.owner[p] ?? -1
    if (v < 0 || !(state.flags[v]! & FLAG.subscriber)) return
    const at = g.at(p)
    for (const [radius, color] of [
      [r + 0.65, theme.color.paper],
      [r - 0.65, delivered.has(v) ? theme.color.pub : theme.color.ink],
    ] as const) {
      ctx.fillStyle = color
      ctx.beginPath()
      ctx.arc(at.x, at.y, radius, 0, 2 * Math.PI)
      ctx.fill()
    }
  }
  if (which) for (const p of which) dot(p)
  else for (let p = 0; p < ring.length; p++) dot(p)
}

/** Positions of a small ring, as in a worked example: circles with their nodes' names. */
export function paintNamed(
  ctx: CanvasRenderingContext2D,
  { ring, g, state, theme }: RingScene,
  names: readonly string[],
  delivered: ReadonlySet<number>,
  publisher: number,
): void {
  if (!g.knob) return
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.lineWidth = 1.8
  for (let p = 0; p < ring.length; p++) {
    const v = ring.owner[p]!
    if (v < 0) continue
    const at = g.at(p)
    const got = delivered.has(v)
    const filled = got || (state.flags[v]! & FLAG.subscriber) !== 0
    ctx.fillStyle = theme.color[got ? 'pub' : filled ? 'ink' : 'paper']
    ctx.strokeStyle = theme.color[got || v === publisher ? 'pub' : 'ink']
    ctx.beginPath()
    if (state.flags[v]! & FLAG.root) ctx.rect(at.x - g.knob, at.y - g.knob, 2 * g.knob, 2 * g.knob)
    else ctx.arc(at.x, at.y, g.knob, 0, 2 * Math.PI)
    ctx.fill()
    ctx.stroke()
    ctx.fillStyle = theme.color[filled ? 'paper' : 'ink']
    ctx.font = `650 ${Math.round(g.knob * 1.02)}px ${theme.sans}`
    const name = names[v] ?? ''
    ctx.fillText(name.length > 3 ? `${name.slice(0, 2)}…` : name, at.x, at.y + 0.5)
  }
}

/** The root's square, where the ring begins. */
export function paintRoot(
  ctx: CanvasRenderingContext2D,
  { ring, g, theme }: RingScene,
  selected: boolean,
): void {
  if (ring.length && !g.knob) {
    const zero = g.at(0)
    const half = selected ? 6 : 5
    ctx.fillStyle = theme.color.paper
    ctx.strokeStyle = theme.color.ink
    ctx.lineWidth = selected ? 2.8 : 2
    ctx.fillRect(zero.x - half, zero.y - half, 2 * half, 2 * half)
    ctx.strokeRect(zero.x - half, zero.y - half, 2 * half, 2 * half)
  }
}

export interface SmallRing extends Part {
  x: number
  y: number
  r: number
}

/** Rings of the other parts of a split network, small, with how many nodes they hold. */
export function paintSmallRings(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  rings: readonly SmallRing[],
  more: number,
): void {
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  for (const { x, y, r, size } of rings) {
    ctx.strokeStyle = theme.color.ink
    ctx.lineWidth = 1.6
    ctx.fillStyle = theme.color.paper
    if (size > 1) {
      ctx.beginPath()
      ctx.arc(x, y, r, 0, 2 * Math.PI)
      ctx.stroke()
    }
    const top = size > 1 ? y - r : y
    ctx.fillRect(x - 3.5, top - 3.5, 7, 7)
    ctx.strokeRect(x - 3.5, top - 3.5, 7, 7)
    ctx.font = `600 12px ${theme.sans}`
    ctx.fillStyle = theme.color.ink
    ctx.fillText(String(size), x + (size > 1 ? r : 4) + 7, y)
  }
  const last = rings[rings.length - 1]
  if (more > 0 && last) {
    ctx.font = `12px ${theme.sans}`
    ctx.fillStyle = theme.color['ink-3']
    ctx.fillText(`+ ${more} more`, last.x + 52, last.y)
  }
}

/** Where the small rings stand: in a row along the bottom, sized by their share of the largest. */
export function placeSmallRings(
  parts: readonly Part[],
  shown: number,
  width: number,
  height: number,
): SmallRing[] {
  const others = parts.filter((p) => p.part !== shown)
  const room = Math.max(1, Math.floor((width - 60) / 78))
  const placed = others.slice(0, room)
  const most = Math.max(1, ...parts.map((p) => p.size))
  const left = width / 2 - (placed.length * 78) / 2 + 26
  return placed.map(({ part, size, root }, i) => ({
    part,
    size,
    root,
    x: left + i * 78,
    y: height - 34,
    r: 6 + 12 * Math.sqrt(size / most),
  }))
}
