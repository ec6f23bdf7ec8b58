/** From where the network is seen: camera and layout, and whether the user has moved away from seeing all of it. */
import { Camera } from '../camera'
import { Layout } from '../layout'
import type { Size } from '../stage'
import type { Padding, Point } from '../types'
import type { World } from '../../model'

/** A gesture is over when nothing has moved for so long, ms. */
const SETTLE = 140
const GLIDE = 420
/** Larger networks are not seen to move, only to have moved. */
const GLIDING = 2000
const EDGE = 40

export class Viewpoint {
  readonly camera = new Camera()
  readonly layout = new Layout()
  /** A drag or pinch is under way. */
  grabbing = false
  private touched = false
  private movedAt = 0
  private seen = -1

  /** @param still whether nothing should move by itself */
  constructor(
    private padding: Padding,
    private readonly still: () => boolean,
  ) {}

  setWorld(world: World, first: boolean): void {
    const glide = !first && world.n <= GLIDING && !this.still()
    this.layout.setWorld(world, performance.now(), glide)
    if (!this.touched) this.refit(glide ? GLIDE : 0)
  }

  pad(padding: Partial<Padding>, glide: boolean): void {
    const before = JSON.stringify(this.padding)
    this.padding = { ...this.padding, ...padding }
    if (!this.touched && before !== JSON.stringify(this.padding)) this.refit(glide ? this.lasts(GLIDE) : 0)
  }

  resize({ width, height }: Size): void {
    this.camera.width = width
    this.camera.height = height
    this.camera.version++
    if (!this.touched) this.refit(0)
  }

  /** Moves on at `wall` ms; what has moved since the last step. */
  step(wall: number): { panned: boolean; gliding: boolean } {
    this.camera.step(wall)
    const gliding = this.layout.step(wall)
    const panned = this.camera.version !== this.seen
    this.seen = this.camera.version
    if (panned) this.movedAt = wall
    return { panned, gliding }
  }

  settled(wall: number): boolean {
    return !this.grabbing && !this.camera.gliding && !this.layout.moving && wall - this.movedAt > SETTLE
  }

  fit(): void {
    this.touched = false
    this.refit(this.lasts(GLIDE))
  }

  pan(dx: number, dy: number): void {
    this.touched = true
    this.camera.pan(dx, dy)
  }

  /** At once, as a wheel or fingers ask for it. */
  zoomAt(x: number, y: number, factor: number): void {
    this.touched = true
    this.camera.zoomAt(x, y, factor)
  }

  /** Gliding, as a button or key asks for it. */
  zoomAround(x: number, y: number, factor: number): void {
    this.touched = true
    const { scale, x: ox, y: oy } = this.camera
    const to = { scale: scale * factor, x: x + (ox - x) * factor, y: y + (oy - y) * factor }
    this.camera.glide(to, performance.now(), this.lasts(180))
  }

  zoomTo(nodes: Iterable<number>): void {
    const { x, y } = this.layout
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
    for (const v of nodes) {
      box.left = Math.min(box.left, x[v]!)
      box.right = Math.max(box.right, x[v]!)
      box.top = Math.min(box.top, y[v]!)
      box.bottom = Math.max(box.bottom, y[v]!)
    }
    if (box.left > box.right) return
    this.touched = true
    this.camera.show(box, this.padding, performance.now(), this.lasts(GLIDE))
  }

  /** Brings a node into the picture if it lies outside. */
  reveal(node: number): void {
    const { x, y } = this.screenOf(node)
    const { width, height } = this.camera
    const dx = Math.max(0, EDGE - x) - Math.max(0, x - (width - EDGE))
    const dy = Math.max(0, EDGE - y) - Math.max(0, y - (height - EDGE))
    if (dx || dy) this.pan(dx, dy)
  }

  screenOf(node: number): Point {
    const { camera, layout } = this
    return { x: camera.screenX(layout.x[node] ?? 0), y: camera.screenY(layout.y[node] ?? 0) }
  }

  private lasts(ms: number): number {
    return this.still() ? 0 : ms
  }

  private refit(lasts: number): void {
    if (this.camera.width) this.camera.fit(this.layout.box, this.padding, performance.now(), lasts)
  }
}
