/**
 * One canvas of a picture. A layer whose painting is cheap is repainted at every camera move; a costly one is shifted
 * and scaled by CSS while a gesture lasts, and repainted when it settles.
 *
 * Without a graphics card every visible canvas is blended in full at every frame, painted or not: there should be few,
 * the lowest one opaque, and empty ones hidden.
 */
import type { Camera } from './camera'

/** Painting cheaper than this (ms) happens in every frame of a gesture. */
const CHEAP = 5

export interface LayerOptions {
  /** Reaches so many pixels beyond the edges, so that panning does not uncover bare ground at once. */
  overscan?: number
  /** Nothing below shows through. */
  opaque?: boolean
}

export class Layer {
  readonly canvas: HTMLCanvasElement
  readonly ctx: CanvasRenderingContext2D
  /** Recent cost of a full painting, ms. */
  cost = 0
  private readonly overscan: number
  private painted = { scale: 1, x: 0, y: 0, version: -1 }
  private shifted = false
  private width = 0
  private height = 0
  private ratio = 1

  constructor(host: HTMLElement, name: string, { overscan = 0, opaque = false }: LayerOptions = {}) {
    this.overscan = overscan
    this.canvas = document.createElement('canvas')
    this.canvas.dataset.layer = name
    Object.assign(this.canvas.style, {
      position: 'absolute',
      left: `${-overscan}px`,
      top: `${-overscan}px`,
      transformOrigin: '0 0',
      pointerEvents: 'none',
    })
    host.append(this.canvas)
    const ctx = this.canvas.getContext('2d', { alpha: !opaque })
    if (!ctx) throw new Error('This browser cannot draw on a canvas.')
    this.ctx = ctx
  }

  /** Adapts the canvas to the host; true when everything has to be painted again. */
  resize(width: number, height: number, ratio: number): boolean {
    if (width === this.width && height === this.height && ratio === this.ratio) return false
    ;[this.width, this.height, this.ratio] = [width, height, ratio]
    const w = width + 2 * this.overscan
    const h = height + 2 * this.overscan
    this.canvas.width = Math.max(1, Math.round(w * ratio))
    this.canvas.height = Math.max(1, Math.round(h * ratio))
    this.canvas.style.width = `${w}px`
    this.canvas.style.height = `${h}px`
    this.painted.version = -1
    return true
  }

  /** Clears the canvas, unless told to keep it, and sets it up to be painted in the host's CSS pixels. */
  begin(keep = false): CanvasRenderingContext2D {
    const { ctx, ratio, overscan } = this
    ctx.setTransform(1, 0, 0, 1, 0, 0)
    if (!keep) ctx.clearRect(0, 0, this.canvas.width, this.canvas.height)
    ctx.setTransform(ratio, 0, 0, ratio, overscan * ratio, overscan * ratio)
    return ctx
  }

  /** The rectangle this layer covers, in the host's CSS pixels. */
  get bounds(): { left: number; top: number; right: number; bottom: number } {
    const o = this.overscan
    return { left: -o, top: -o, right: this.width + o, bottom: this.height + o }
  }

  show(visible: boolean): void {
    const display = visible ? '' : 'none'
    if (this.canvas.style.display !== display) this.canvas.style.display = display
  }

  /** Paints everything with `draw`, timing it. */
  repaint(camera: Camera, draw: (ctx: CanvasRenderingContext2D) => void): void {
    const began = performance.now()
    draw(this.begin())
    const took = performance.now() - began
    // Quick to admit that painting is dear, slow to believe that it has become cheap.
    this.cost = took > this.cost ? took : this.cost * 0.8 + took * 0.2
    this.painted = { scale: camera.scale, x: camera.x, y: camera.y, version: camera.version }
    this.place(1, 0, 0)
  }

  /** Whether the canvas shows what the camera sees without any CSS shift. */
  inPlace(camera: Camera): boolean {
    return this.painted.version === camera.version
  }

  /**
   * Follows the camera: true when the layer should be repainted now, otherwise it has been shifted by CSS.
   *
   * @param settled no gesture has moved the camera for a while
   */
  follow(camera: Camera, settled: boolean): boolean {
    if (this.inPlace(camera)) return false
    if (settled || this.cost < CHEAP || this.painted.version < 0) return true
    const k = camera.scale / this.painted.scale
    const o = this.overscan
    this.place(k, camera.x - this.painted.x * k + o - o * k, camera.y - this.painted.y * k + o - o * k)
    return false
  }

  private place(k: number, dx: number, dy: number): void {
    const still = k === 1 && dx === 0 && dy === 0
    if (still && !this.shifted) return
    this.shifted = !still
    this.canvas.style.transform = still ? '' : `translate(${dx}px, ${dy}px) scale(${k})`
  }
}
