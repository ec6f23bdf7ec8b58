/** Two opaque canvases that take turns: a change fades in over the old picture, and what stays the same stays still. */
import type { Camera } from '../camera'
import { Layer, type LayerOptions } from '../layer'

const FADE = 200

export class CrossFade {
  private front: Layer
  private back: Layer
  private until = 0

  constructor(host: HTMLElement, name: string, options: LayerOptions) {
    this.back = new Layer(host, `${name}-before`, options)
    this.front = new Layer(host, name, options)
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

  /** True while one change is still fading; hides the old picture once it is over. */
  fading(wall: number): boolean {
    if (this.until && wall >= this.until) this.finish()
    return this.until > 0
  }

  repaint(camera: Camera, draw: (ctx: CanvasRenderingContext2D) => void, fade: boolean, wall: number): void {
    this.finish()
    if (fade) {
      ;[this.front, this.back] = [this.back, this.front]
      this.back.show(true)
      this.back.canvas.after(this.front.canvas)
      this.front.show(true)
      this.front.canvas.animate({ opacity: [0, 1] }, { duration: FADE })
      this.until = wall + FADE
    }
    this.front.repaint(camera, draw)
  }

  follow(camera: Camera, settled: boolean): boolean {
    if (this.front.inPlace(camera)) return false
    this.finish()
    return this.front.follow(camera, settled)
  }

  private finish(): void {
    if (!this.until) return
    this.until = 0
    this.back.show(false)
    for (const a of this.front.canvas.getAnimations()) a.cancel()
  }
}
