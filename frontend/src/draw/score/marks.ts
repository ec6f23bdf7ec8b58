/** The events lane: what was done to the run, as symbols; names where there is room, the latest first. */
import type { Mark } from '../../model'
import { glyph, type Glyph } from '../glyphs'
import { paint } from '../paint'
import { hatch, type Theme } from '../theme'
import { timeToX, type LaneScene } from './lanes'

/** Marks of one kind too close together to be told apart. */
export interface Cluster {
  marks: Mark[]
  x: number
  /** Of the last one. */
  end: number
}

const SYMBOL: Record<Mark['kind'], { glyph: Glyph; r: number }> = {
  fault: { glyph: 'cross', r: 3.5 },
  restore: { glyph: 'restore', r: 5.2 },
  corrupt: { glyph: 'corrupted', r: 3.1 },
  publish: { glyph: 'pub', r: 5.8 },
  subscribe: { glyph: 'sub', r: 3.8 },
  storm: { glyph: 'storm', r: 7.5 },
  loss: { glyph: 'loss', r: 6 },
  other: { glyph: 'subscriber', r: 2 },
}

const MANY: Record<Mark['kind'], string> = {
  fault: 'faults',
  restore: 'restored',
  corrupt: 'corrupted',
  publish: 'publications',
  subscribe: 'subscriptions',
  storm: 'storms',
  loss: 'loss bursts',
  other: 'changes',
}

/** Kinds that are part of every run. */
const ROUTINE: ReadonlySet<Mark['kind']> = new Set(['publish', 'subscribe', 'other'])

/** Groups ascending marks by kind and place; in the order of their first mark. */
export function cluster(
  marks: readonly Mark[],
  toX: (t: number) => number,
  width: number,
  apart = 13,
): Cluster[] {
  const out: Cluster[] = []
  const latest = new Map<Mark['kind'], Cluster>()
  for (const mark of marks) {
    const x = toX(mark.t)
    if (x < -8 || x > width + 8) continue
    const open = latest.get(mark.kind)
    if (open && x - open.end < apart) {
      open.marks.push(mark)
      open.end = x
      continue
    }
    const made = { marks: [mark], x, end: x }
    latest.set(mark.kind, made)
    out.push(made)
  }
  return out
}

export function labelOf(c: Cluster): string {
  const [first] = c.marks
  return c.marks.length === 1 && first ? first.label : `${c.marks.length} ${MANY[first?.kind ?? 'other']}`
}

/** A label's place beside its symbol, or none. */
interface Placed {
  left: number
  right: number
}

/** Paints the lane; returns what was painted, for hit tests. */
export function paintMarks(
  ctx: CanvasRenderingContext2D,
  s: LaneScene,
  marks: readonly Mark[],
  hovered: Mark | null,
): Cluster[] {
  const lane = s.geometry.events
  if (!lane) return []
  const { theme, width } = s
  const y = lane.base
  const now = Math.min(width, timeToX(s, s.now))
  ctx.strokeStyle = theme.color.line
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(0, y)
  ctx.lineTo(Math.max(0, now), y)
  ctx.stroke()
  for (const mark of marks) paintSpan(ctx, s, mark, y, now)
  const clusters = cluster(marks, (t) => timeToX(s, t), width)
  for (const c of clusters) paintSymbol(ctx, theme, c, y)
  const taken: Placed[] = clusters.map((c) => ({ left: c.x - 9, right: c.end + 9 }))
  const isHovered = (c: Cluster): boolean => hovered !== null && c.marks.includes(hovered)
  // One under the pointer is named first, then the latest, then what broke or mended something.
  const newest = clusters.reduce<Cluster | null>((best, c) => (best && best.end >= c.end ? best : c), null)
  const weight = (c: Cluster): number =>
    isHovered(c) ? 3 : c === newest ? 2 : ROUTINE.has(c.marks[0]!.kind) ? 0 : 1
  const order = clusters.map((_, i) => i).reverse()
  order.sort((a, b) => weight(clusters[b]!) - weight(clusters[a]!))
  order.forEach((i) => {
    const c = clusters[i]!
    const text = labelOf(c)
    const strong = isHovered(c) || c === newest
    if (!text || (!strong && c.marks[0]!.kind === 'publish')) return
    ctx.font = `${strong ? 600 : 400} 12px ${theme.sans}`
    const w = ctx.measureText(text).width
    // A fault's name may cover a routine symbol; nothing else may be covered.
    const free = (left: number, right: number): boolean =>
      left >= 0 &&
      right <= width &&
      !taken.some(
        (t, j) =>
          j !== i &&
          left < t.right &&
          right > t.left &&
          !(weight(c) === 1 && clusters[j] && weight(clusters[j]) === 0),
      )
    const right = { left: c.end + 10, right: c.end + 10 + w }
    const left = { left: c.x - 10 - w, right: c.x - 10 }
    // Towards the past, unless that is taken: the future must stay empty.
    const place = [left, right].find((p) => free(p.left - 2, p.right + 2) && p.right < Math.max(now - 4, c.x))
    if (!place && !isHovered(c)) return
    write(
      ctx,
      theme,
      text,
      (place ?? (c.end + 10 + w < width ? right : left)).left,
      y + 4,
      strong,
      c.marks[0]!.kind,
    )
    if (place) taken.push(place)
  })
  return clusters
}

function write(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  text: string,
  x: number,
  y: number,
  strong: boolean,
  kind: Mark['kind'],
): void {
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
  ctx.fillStyle = theme.color.panel
  ctx.fillRect(x - 2, y - 12, ctx.measureText(text).width + 4, 16)
  ctx.fillStyle = strong ? theme.color[kind === 'publish' ? 'pub' : 'ink'] : theme.color['ink-2']
  ctx.fillText(text, x, y)
}

/** How long something lasts: a hatched bar from its symbol on, as far as time has come. */
function paintSpan(ctx: CanvasRenderingContext2D, s: LaneScene, mark: Mark, y: number, now: number): void {
  if (mark.end === undefined) return
  const from = Math.max(0, timeToX(s, mark.t))
  const to = Math.min(now, timeToX(s, mark.end))
  if (to <= from) return
  const { color } = s.theme
  ctx.fillStyle = hatch(ctx, color.wrong, color['wrong-soft'], 2, 5)
  ctx.fillRect(from, y - 5, to - from, 10)
  ctx.strokeStyle = color['wrong-ink']
  ctx.lineWidth = 1
  ctx.strokeRect(from, y - 5, to - from, 10)
}

function paintSymbol(ctx: CanvasRenderingContext2D, theme: Theme, c: Cluster, y: number): void {
  const { glyph: name, r } = SYMBOL[c.marks[0]!.kind]
  ctx.fillStyle = theme.color.panel
  ctx.fillRect(c.x - 8, y - 8, c.end - c.x + 16, 16)
  const parts = glyph(name, r)
  paint(ctx, parts, theme, c.x, y)
  if (c.end - c.x < 14) return
  // A cluster is drawn as its first and last mark with a bar between.
  ctx.strokeStyle = theme.color['line-2']
  ctx.lineWidth = 2
  ctx.beginPath()
  ctx.moveTo(c.x + 9, y)
  ctx.lineTo(c.end - 9, y)
  ctx.stroke()
  paint(ctx, parts, theme, c.end, y)
}
