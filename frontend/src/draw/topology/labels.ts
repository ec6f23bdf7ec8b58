/** Names of what matters now, and the rings around what is hovered, selected or focused. */
import type { Box } from '../camera'
import type { Grid } from '../grid'
import type { Hop } from '../paths'
import type { Ink } from '../theme'
import type { Name } from './names'
import { LOOK, reach, type Scene } from './scene'

/** Space (px) between a name and the edge of the picture. */
const EDGE = 8

interface Place {
  dx: number
  dy: number
  align: CanvasTextAlign
}

/** Chooses places for labels and remembers them, so that they do not wander while the picture moves. */
export class Labels {
  private places = new Map<number, Place>()
  /** What the page puts on top of the picture: no place for names. */
  covered: readonly Box[] = []

  /** Forgets the places of labels, after the camera has come to rest elsewhere. */
  replace(): void {
    this.places.clear()
  }

  paint(
    ctx: CanvasRenderingContext2D,
    scene: Scene,
    labels: readonly Name[],
    grid: Grid,
    path: readonly Hop[],
    choose: boolean,
  ): void {
    const taken: Box[] = []
    for (const label of labels) {
      const x = scene.sx[label.node]!
      const y = scene.sy[label.node]!
      if (x < -20 || y < -20 || x > scene.camera.width + 20 || y > scene.camera.height + 20) continue
      const name = scene.world.names[label.node] ?? ''
      const font = `${label.weight} ${label.size}px ${scene.theme.sans}`
      const plain = `400 ${label.size}px ${scene.theme.sans}`
      ctx.font = font
      const nameWidth = ctx.measureText(name).width
      ctx.font = plain
      const caption = label.caption ? ` ${label.caption}` : ''
      const width = nameWidth + (caption ? ctx.measureText(caption).width : 0)
      let place = this.places.get(label.node)
      if (!place || choose) place = this.choose(scene, label, width, taken, grid, path, place)
      this.places.set(label.node, place)
      const box = inside(boxOf(x, y, place, width, label.size), scene.camera.width)
      taken.push(box)
      const base = y + place.dy
      write(ctx, scene, name, box.left, base, font, 'ink')
      if (caption) write(ctx, scene, caption, box.left + nameWidth, base, plain, 'ink-2')
    }
  }

  private choose(
    scene: Scene,
    label: Name,
    width: number,
    taken: readonly Box[],
    grid: Grid,
    path: readonly Hop[],
    before?: Place,
  ): Place {
    const { sx, sy, camera } = scene
    const x = sx[label.node]!
    const y = sy[label.node]!
    const gap = reach(scene.look[label.node]!, scene.r) + (label.size > 12 ? 8 : 4)
    let best: Place = { dx: gap, dy: 4, align: 'left' }
    let least = Infinity
    for (const place of candidates(gap)) {
      const box = boxOf(x, y, place, width, label.size)
      let cost =
        box.left < EDGE || box.right > camera.width - EDGE || box.top < 4 || box.bottom > camera.height - 4
          ? 50
          : 0
      for (const t of taken) if (overlap(box, t)) cost += 40
      for (const c of this.covered) if (overlap(box, c)) cost += 30
      const a = camera.worldAt(box.left - 5, box.top - 5)
      const b = camera.worldAt(box.right + 5, box.bottom + 5)
      grid.within(a.x, a.y, b.x, b.y, (i) => {
        const [px, py] = [sx[i]!, sy[i]!]
        if (px > box.left - 5 && px < box.right + 5 && py > box.top - 5 && py < box.bottom + 5)
          cost += scene.look[i] === LOOK.leaf || scene.look[i] === LOOK.inner ? 2 : 6
      })
      for (const hop of path.slice(-120)) if (crosses(scene, hop, box)) cost += 3
      const same = before && before.dx === place.dx && before.dy === place.dy && before.align === place.align
      if (same) cost -= 7
      if (cost < least) {
        least = cost
        best = place
      }
    }
    return best
  }
}

function candidates(gap: number): Place[] {
  const near = gap * 0.7
  return [
    { dx: gap, dy: 4, align: 'left' },
    { dx: -gap, dy: 4, align: 'right' },
    { dx: 0, dy: -gap, align: 'center' },
    { dx: 0, dy: gap + 10, align: 'center' },
    { dx: near, dy: -near, align: 'left' },
    { dx: -near, dy: near + 9, align: 'right' },
    { dx: -near, dy: -near, align: 'right' },
    { dx: near, dy: near + 9, align: 'left' },
    { dx: 0, dy: -gap - 16, align: 'center' },
    { dx: 0, dy: gap + 26, align: 'center' },
  ]
}

function boxOf(x: number, y: number, place: Place, width: number, size: number): Box {
  const left = x + place.dx - (place.align === 'right' ? width : place.align === 'center' ? width / 2 : 0)
  const top = y + place.dy - size
  return { left, top, right: left + width, bottom: top + size + 4 }
}

/** The box moved sideways into the picture, whose names should be whole. */
function inside(box: Box, width: number): Box {
  const by = Math.max(EDGE - box.left, Math.min(0, width - EDGE - box.right))
  return { ...box, left: box.left + by, right: box.right + by }
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top

function crosses({ sx, sy }: Scene, hop: Hop, box: Box): boolean {
  const [x0, y0] = [sx[hop.from]!, sy[hop.from]!]
  const [dx, dy] = [sx[hop.to]! - x0, sy[hop.to]! - y0]
  for (let u = 0; u <= 1; u += 0.1) {
    const [x, y] = [x0 + dx * u, y0 + dy * u]
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true
  }
  return false
}

const written = new Map<string, { image: ImageBitmap; ascent: number }>()
const HALO = 3

/** Writes through a bitmap: names lie on the canvas that is repainted at every frame, and text is dear. */
function write(
  ctx: CanvasRenderingContext2D,
  { theme }: Scene,
  text: string,
  x: number,
  y: number,
  font: string,
  ink: Ink,
): void {
  const ratio = ctx.getTransform().a || 1
  const key = `${text}/${font}/${ink}/${theme.version}/${ratio}`
  let w = written.get(key)
  if (!w) {
    if (written.size > 200) written.clear()
    ctx.font = font
    const size = ctx.measureText(text)
    const ascent = Math.ceil(size.actualBoundingBoxAscent) + HALO
    const width = Math.ceil(size.width) + 2 * HALO
    const height = ascent + Math.ceil(size.actualBoundingBoxDescent) + HALO
    const canvas = new OffscreenCanvas(Math.ceil(width * ratio), Math.ceil(height * ratio))
    const c = canvas.getContext('2d')!
    c.scale(ratio, ratio)
    c.font = font
    c.lineJoin = 'round'
    c.strokeStyle = theme.color.paper
    c.lineWidth = 4
    c.strokeText(text, HALO, ascent)
    c.fillStyle = theme.color[ink]
    c.fillText(text, HALO, ascent)
    written.set(key, (w = { image: canvas.transferToImageBitmap(), ascent }))
  }
  const left = Math.round((x - HALO) * ratio) / ratio
  const top = Math.round((y - w.ascent) * ratio) / ratio
  ctx.drawImage(w.image, left, top, w.image.width / ratio, w.image.height / ratio)
}

/** Rings around the hovered and the selected node; the outer blue one where the keyboard is. */
export function paintRings(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  hovered: number,
  selected: number,
  focused: boolean,
): void {
  const { sx, sy, theme, look, r } = scene
  const ring = (v: number, radius: number, color: string, width: number): void => {
    ctx.strokeStyle = color
    ctx.lineWidth = width
    ctx.beginPath()
    ctx.arc(sx[v]!, sy[v]!, radius, 0, 2 * Math.PI)
    ctx.stroke()
  }
  const around = (v: number): number => Math.max(r + 3.5, reach(look[v]!, r))
  if (hovered >= 0 && hovered !== selected) {
    ring(hovered, around(hovered) + 1.5, theme.color.paper, 3.4)
    ring(hovered, around(hovered) + 1.5, theme.color.ink, 1.6)
  }
  if (selected >= 0) {
    ring(selected, around(selected) + 3, theme.color.paper, 5)
    ring(selected, around(selected) + 3, theme.color.ink, 2.4)
    if (focused) ring(selected, around(selected) + 7, theme.color.focus, 2)
  }
}

/** A link that is hovered or selected: a band along it, under its own line's colour. */
export function paintLink(
  ctx: CanvasRenderingContext2D,
  { sx, sy, theme, world }: Scene,
  k: number,
  selected: boolean,
): void {
  const a = world.from[k]!
  const b = world.to[k]!
  ctx.lineCap = 'round'
  for (const [color, width] of [
    [theme.color.paper, selected ? 9 : 7],
    [theme.color.ink, selected ? 5 : 3.4],
    [theme.color.paper, selected ? 1.8 : 1],
  ] as const) {
    ctx.strokeStyle = color
    ctx.lineWidth = width
    ctx.beginPath()
    ctx.moveTo(sx[a]!, sy[a]!)
    ctx.lineTo(sx[b]!, sy[b]!)
    ctx.stroke()
  }
}
