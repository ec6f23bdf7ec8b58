/** What stands on the circle itself: subscribers' dots, the root's square, and on a small ring every node's name. */
import { FLAG } from '../../model'
import type { RingScene } from './scene'

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
