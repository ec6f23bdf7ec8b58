/** The nodes layer. Glyphs are painted once into sprites; after a change only the nodes concerned are repainted. */
import { paint } from '../paint'
import type { Grid } from '../grid'
import type { Ink, Theme } from '../theme'
import { namedInside } from './names'
import { DOTS, LOOK, LOOKS, partsOf, reach, type Scene } from './scene'

interface Sprite {
  /** A bitmap: drawing from a canvas would make the browser copy it at every use. */
  image: ImageBitmap
  /** From the sprite's corner to its centre, CSS px. */
  half: number
}

const sprites = new Map<string, Sprite>()

function sprite(look: number, r: number, theme: Theme, ratio: number): Sprite {
  const key = `${look}/${r}/${theme.version}/${ratio}`
  let s = sprites.get(key)
  if (!s) {
    if (sprites.size > 400) sprites.clear()
    const half = Math.ceil(reach(look, r) + 2)
    const side = Math.ceil(2 * half * ratio)
    const canvas = new OffscreenCanvas(side, side)
    const ctx = canvas.getContext('2d')!
    ctx.scale(ratio, ratio)
    paint(ctx, partsOf(look, r), theme, half, half)
    sprites.set(key, (s = { image: canvas.transferToImageBitmap(), half }))
  }
  return s
}

/** Dots for networks too large for glyphs. */
const DOT_INK: Record<number, { ink: Ink; size: number }> = {
  [LOOK.leaf]: { ink: 'ink-3', size: 1 },
  [LOOK.inner]: { ink: 'ink-2', size: 1.1 },
  [LOOK.subscriber]: { ink: 'ink', size: 1.7 },
  [LOOK.wrong]: { ink: 'wrong', size: 1.6 },
  [LOOK.wrongSubscriber]: { ink: 'wrong', size: 2 },
  [LOOK.corrupted]: { ink: 'wrong-ink', size: 2 },
  [LOOK.publishedBefore]: { ink: 'pub', size: 1.6 },
  [LOOK.delivered]: { ink: 'pub', size: 2.2 },
  [LOOK.wrongDelivered]: { ink: 'pub', size: 2.2 },
}

const order: number[][] = LOOKS.map(() => [])

/** Paints the nodes `which` (all when null), specials on top; `snap` puts them on whole device pixels. */
export function paintNodes(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  bounds: { left: number; top: number; right: number; bottom: number },
  which: readonly number[] | null,
  snap: boolean,
): void {
  const { world, look, sx, sy } = scene
  for (const list of order) list.length = 0
  const take = (v: number): void => {
    const x = sx[v]!
    const y = sy[v]!
    if (x > bounds.left - 20 && x < bounds.right + 20 && y > bounds.top - 20 && y < bounds.bottom + 20)
      order[look[v]!]!.push(v)
  }
  if (which) which.forEach(take)
  else for (let v = 0; v < world.n; v++) take(v)
  order.forEach((list, l) => {
    if (!list.length) return
    if (scene.r < DOTS && DOT_INK[l]) paintDots(ctx, scene, list, DOT_INK[l])
    else paintGlyphs(ctx, scene, list, l, snap)
  })
}

function paintDots(
  ctx: CanvasRenderingContext2D,
  { theme, sx, sy, r }: Scene,
  list: number[],
  dot: { ink: Ink; size: number },
): void {
  ctx.fillStyle = theme.color[dot.ink]
  const side = Math.max(1.5, r * 2 * dot.size)
  for (const v of list) ctx.fillRect(sx[v]! - side / 2, sy[v]! - side / 2, side, side)
}

function paintGlyphs(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  list: number[],
  look: number,
  snap: boolean,
): void {
  const { layout, theme, sx, sy } = scene
  const ratio = ctx.getTransform().a || 1
  // Sprites for quarter pixels of radius: finer steps cannot be told apart.
  const r = Math.round(Math.max(DOTS, scene.r) * 4) / 4
  const s = sprite(look, r, theme, ratio)
  const side = s.image.width / ratio
  for (const v of list) {
    const grown = layout.grown[v]!
    let x = sx[v]! - s.half
    let y = sy[v]! - s.half
    if (snap) {
      x = Math.round(x * ratio) / ratio
      y = Math.round(y * ratio) / ratio
    }
    if (grown < 1)
      ctx.drawImage(s.image, x + s.half * (1 - grown), y + s.half * (1 - grown), side * grown, side * grown)
    else ctx.drawImage(s.image, x, y, side, side)
    if (namedInside(scene, v)) paintInside(ctx, scene, v, look)
  }
}

/** In a small network the name fits into the circle. */
function paintInside(
  ctx: CanvasRenderingContext2D,
  { theme, world, sx, sy, r }: Scene,
  v: number,
  look: number,
): void {
  ctx.font = `650 ${Math.round(r * 1.08)}px ${theme.sans}`
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = look === LOOK.subscriber || look === LOOK.delivered ? theme.color.paper : theme.color.ink
  ctx.fillText(world.names[v]!, sx[v]!, sy[v]! + r * 0.06)
}

/** Repaints only around `changed`: clears their squares and paints every node that touches them. */
export function repaintNodes(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  grid: Grid,
  bounds: { left: number; top: number; right: number; bottom: number },
  changed: readonly number[],
): void {
  const { camera, sx, sy, r } = scene
  const most = Math.ceil(reach(LOOK.failed, r) + 2)
  const [kx, ky] = [camera.scale * camera.ax, camera.scale * camera.ay]
  const touched = new Set<number>()
  ctx.save()
  ctx.beginPath()
  for (const v of changed) {
    const left = Math.floor(sx[v]! - most)
    const top = Math.floor(sy[v]! - most)
    ctx.rect(left, top, 2 * most, 2 * most)
    const a = camera.worldAt(left - most, top - most)
    const pad = 4 * most
    grid.within(a.x, a.y, a.x + pad / kx, a.y + pad / ky, (i) => touched.add(i))
  }
  ctx.clip()
  ctx.clearRect(bounds.left, bounds.top, bounds.right - bounds.left, bounds.bottom - bounds.top)
  paintNodes(ctx, scene, bounds, [...touched], true)
  ctx.restore()
}
