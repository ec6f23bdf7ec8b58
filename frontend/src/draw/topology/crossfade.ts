/**
 * Two canvases that take turns: a change fades in on top of the old picture, which then fades out. What stays the same
 * is fully painted in one of them at every moment, so only the difference is seen to change.
 */
import type { Camera } from '../camera'
import { Layer } from '../layer'

const IN = 110
const OUT = 90

export class CrossFade {
  private front: Layer
  private back: Layer
  private until = 0

  constructor(host: HTMLElement, name: string, overscan: number) {
    this.front = new Layer(host, name, overscan)
    this.back = new Layer(host, `${name}-before`, overscan)
    this.back.show(false)
  }

  get cost(): number {
    return Math.max(this.front.cost, this.back.cost)
  }

  get bounds(): Layer['bounds'] {
    return this.front.bounds
  }

  resize(width: number, height: number, ratio: number): boolean {
    this.finish()
    this.back.resize(width, height, ratio)
    return this.front.resize(width, height, ratio)
  }

  /** True while one change is still fading. */
  fading(wall: number): boolean {
    return wall < this.until
  }

  /** Hides the old picture once it has faded. */
  step(wall: number): void {
    if (this.until && wall >= this.until) this.finish()
  }

  repaint(camera: Camera, draw: (ctx: CanvasRenderingContext2D) => void, fade: boolean, wall: number): void {
    this.finish()
    if (!fade) {
      this.front.repaint(camera, draw)
      return
    }
    const [old, fresh] = [this.front, this.back]
    old.canvas.after(fresh.canvas)
    fresh.show(true)
    fresh.repaint(camera, draw)
    fresh.canvas.animate({ opacity: [0, 1] }, { duration: IN })
    old.canvas.animate({ opacity: [1, 0] }, { duration: OUT, delay: IN, fill: 'forwards' })
    this.front = fresh
    this.back = old
    this.until = wall + IN + OUT
  }

  follow(camera: Camera, settled: boolean): boolean {
    if (this.front.inPlace(camera)) return false
    this.finish()
    return this.front.follow(camera, settled)
  }

  private finish(): void {
    this.until = 0
    this.back.show(false)
    for (const a of this.back.canvas.getAnimations()) a.cancel()
    for (const a of this.front.canvas.getAnimations()) a.cancel()
  }

  remove(): void {
    this.front.remove()
    this.back.remove()
  }
}
