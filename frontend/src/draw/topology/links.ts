/** The links layer: the tree in ink, as thick as the subtree it carries; everything else recedes, as wide as it is good. */
import { LINK, type World } from '../../model'
import { LinkKind } from '../tree'
import type { Scene } from './scene'

interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}

/** Above so many links dashes cost too much and would not be seen. */
const DASHES = 4000

/** Width of the tree link above a subtree of `size` of `n` nodes, for plain nodes of radius `r`, px. */
export function treeWidth(size: number, n: number, r = 4): number {
  const shrink = Math.min(1, 14.5 / Math.sqrt(n))
  return (0.7 + 0.36 * (Math.sqrt(size) - 0.6) * shrink) * Math.min(2.6, Math.max(0.8, r / 4))
}

/** Levels of link quality that the eye can tell apart. */
const LEVELS = 4

/** Width of the grey of a link by its quality, 0 … 1, px for plain nodes of radius `r`. */
export function qualityWidth(quality: number, r = 4): number {
  return (0.5 + 2.3 * quality * quality) * Math.min(1.15, Math.max(0.7, r / 4))
}

/** The level of a link's worse direction, 0: not known. */
function levels({ m, quality }: World): Uint8Array | null {
  if (!quality) return null
  return Uint8Array.from({ length: m }, (_, k) => {
    const worse = Math.min(quality[2 * k]!, quality[2 * k + 1]!)
    return worse > 0 ? Math.max(1, Math.round(worse * LEVELS)) : 0
  })
}

export function paintLinks(ctx: CanvasRenderingContext2D, scene: Scene, bounds: Bounds): void {
  const { world, state, theme, sx, sy, kind, subtree, r } = scene
  const { from, to, m, n } = world
  const color = theme.color
  const fancy = m <= DASHES
  const pixel = 1 / (ctx.getTransform().a || 1)

  const line = (k: number): void => {
    const a = from[k]!
    const b = to[k]!
    const [x0, y0, x1, y1] = [sx[a]!, sy[a]!, sx[b]!, sy[b]!]
    if (x0 < bounds.left && x1 < bounds.left) return
    if (x0 > bounds.right && x1 > bounds.right) return
    if (y0 < bounds.top && y1 < bounds.top) return
    if (y0 > bounds.bottom && y1 > bounds.bottom) return
    ctx.moveTo(x0, y0)
    ctx.lineTo(x1, y1)
  }
  const level = fancy ? levels(world) : null
  const strokeAll = (which: number, stroke: string, width: number, dash: number[], only = -1): void => {
    ctx.strokeStyle = stroke
    ctx.lineWidth = width
    ctx.setLineDash(fancy ? dash : [])
    ctx.beginPath()
    for (let k = 0; k < m; k++) if (kind[k] === which && (only < 0 || level?.[k] === only)) line(k)
    ctx.stroke()
    ctx.setLineDash([])
  }
  /** Grey lines of one kind: as wide as each is good, where that is known. */
  const strokeByQuality = (which: number, plain: number): void => {
    if (!level) return strokeAll(which, color.chord, plain, [])
    strokeAll(which, color.chord, plain, [], 0)
    for (let l = 1; l <= LEVELS; l++) strokeAll(which, color.link, qualityWidth(l / LEVELS, r), [], l)
  }

  ctx.lineCap = 'round'
  strokeAll(LinkKind.excluded, color.excl, fancy ? 1 : pixel, [1, 4])
  ctx.globalAlpha = fancy ? 0.7 : 0.5
  strokeByQuality(LinkKind.shortcut, fancy ? Math.max(0.8, pixel, r / 7) : pixel)
  // A tree link is ink as wide as its subtree; the grey of its quality stands out on both sides, if it is that good.
  if (level) strokeByQuality(LinkKind.tree, 0.1)
  ctx.globalAlpha = 0.8
  strokeAll(LinkKind.dead, color.ghost, 1, [5, 4])
  ctx.globalAlpha = 1
  strokeAll(LinkKind.oneway, color.ghost, 1, [5, 4])
  chevrons(ctx, scene, pixel)

  // One stroke per width, thin ones first, so that trunks lie on top.
  const buckets = new Map<number, number[]>()
  for (let k = 0; k < m; k++) {
    if (kind[k] !== LinkKind.tree) continue
    const child = state.parent[from[k]!] === to[k]! ? from[k]! : to[k]!
    const size = subtree[child]!
    const bucket = size === 1 ? 0 : Math.max(1, Math.round(treeWidth(size, n, r) * 4))
    const list = buckets.get(bucket)
    if (list) list.push(k)
    else buckets.set(bucket, [k])
  }
  for (const [bucket, list] of [...buckets].sort((a, b) => a[0] - b[0])) {
    ctx.strokeStyle = bucket ? color.tree : color.twig
    ctx.lineWidth = bucket ? bucket / 4 : fancy ? treeWidth(1, n, r) : pixel
    ctx.beginPath()
    list.forEach(line)
    ctx.stroke()
  }
}

/** On links that work one way only: which way. */
function chevrons(
  ctx: CanvasRenderingContext2D,
  { world, state, theme, sx, sy, kind }: Scene,
  pixel: number,
): void {
  ctx.strokeStyle = theme.color.ghost
  ctx.lineWidth = Math.max(1.5, pixel)
  ctx.beginPath()
  for (let k = 0; k < world.m; k++) {
    if (kind[k] !== LinkKind.oneway) continue
    const forth = state.link[k]! & LINK.forth
    const a = forth ? world.from[k]! : world.to[k]!
    const b = forth ? world.to[k]! : world.from[k]!
    const angle = Math.atan2(sy[b]! - sy[a]!, sx[b]! - sx[a]!)
    const [x, y] = [sx[a]! + (sx[b]! - sx[a]!) * 0.55, sy[a]! + (sy[b]! - sy[a]!) * 0.55]
    for (const side of [-1, 1]) {
      ctx.moveTo(x + 3 * Math.cos(angle), y + 3 * Math.sin(angle))
      ctx.lineTo(x - 5 * Math.cos(angle + side * 0.65), y - 5 * Math.sin(angle + side * 0.65))
    }
  }
  ctx.stroke()
}
