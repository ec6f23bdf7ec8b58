/**
 * The score: events and layers as lanes on one time axis, the whole run below with the window the lanes show.
 *
 * The window only looks: dragging it never moves the simulation.
 */
import type { Curves, Mark } from '../model'
import { Camera } from './camera'
import { Layer } from './layer'
import { clampWindow, following, runLength, scoreGeometry, stretched, type Window } from './score/geometry'
import { peakIn } from './score/humps'
import { paintAxis, paintLayers, paintPlayhead, paintReading, timeToX, type LaneScene } from './score/lanes'
import { paintMarks, type Cluster } from './score/marks'
import { Bins, paintOverview } from './score/overview'
import { readTheme } from './theme'
import type { Score, ScoreGeometry, ScoreOptions } from './types'

/** Seconds that a new score shows. */
const SPAN = 33
const LONGEST = 3600
/** The knob of the playhead stands out above. */
const OVERSCAN = 16

type Grip = { what: 'lanes' | 'brush' | 'from' | 'to'; x: number; window: Window }

export class ScoreView implements Score {
  private readonly surface: HTMLDivElement
  private readonly layer: Layer
  private readonly observer: ResizeObserver
  private readonly camera = new Camera()
  private readonly bins = new Bins()
  private readonly lane: number
  private readonly phone: boolean
  private theme = readTheme(null)
  private curves: Curves | null = null
  private marks: readonly Mark[] = []
  private duration: number | null = null
  private width = 0
  private height = 0
  private now = 0
  private span = SPAN
  private window: Window = { from: 0, to: SPAN }
  private follows = true
  private scale: number[] = []
  private clusters: Cluster[] = []
  private pointer: { x: number; y: number } | null = null
  private hoveredMark: Mark | null = null
  private grip: Grip | null = null
  private stale = true
  private seen = { now: NaN }

  constructor(
    private readonly host: HTMLElement,
    private readonly options: ScoreOptions = {},
  ) {
    this.lane = options.laneHeight ?? 30
    this.phone = options.phone ?? false
    this.surface = document.createElement('div')
    Object.assign(this.surface.style, { position: 'absolute', inset: '0', touchAction: 'pan-y' })
    this.surface.tabIndex = 0
    if (getComputedStyle(host).position === 'static') host.style.position = 'relative'
    host.prepend(this.surface)
    this.layer = new Layer(this.surface, 'score', { overscan: OVERSCAN })
    this.observer = new ResizeObserver(() => this.measure())
    this.observer.observe(this.surface)
    this.measure()
    this.setTheme()
    this.listen()
  }

  setCurves(curves: Curves): void {
    this.curves = curves
    this.scale = []
    this.stale = true
  }

  setMarks(marks: readonly Mark[]): void {
    this.marks = marks
    this.stale = true
  }

  setDuration(duration: number | null): void {
    this.duration = duration
    this.stale = true
  }

  setTheme(): void {
    this.theme = readTheme(this.host)
    this.stale = true
  }

  geometry(): ScoreGeometry {
    return scoreGeometry(this.curves?.layers.length ?? 4, this.lane, this.phone)
  }

  /** Back to now, which the window then keeps in sight. */
  follow(): void {
    this.follows = true
    this.stale = true
  }

  get visible(): Window {
    return this.window
  }

  frame(now: number): void {
    if (this.layer.resize(this.width, this.height, Math.min(devicePixelRatio || 1, 3))) this.stale = true
    const { curves } = this
    if (!curves || this.width < 20) return
    // At real speed the picture moves by half a pixel a frame: whole ones are enough.
    const moved = (Math.abs(now - this.seen.now) / this.span) * this.width
    if (!this.stale && moved < 0.9 && this.settled(curves)) return
    this.now = now
    if (this.follows) this.setWindow(following(now, this.span), true)
    this.growScale(curves)
    this.layer.repaint(this.camera, (ctx) => this.paint(ctx, curves))
    this.stale = false
    this.seen = { now }
  }

  destroy(): void {
    this.observer.disconnect()
    this.surface.remove()
  }

  private measure(): void {
    this.width = Math.round(this.surface.clientWidth)
    this.height = Math.round(this.surface.clientHeight)
    this.stale = true
  }

  private get length(): number {
    return runLength(this.now, this.duration)
  }

  private setWindow(w: Window, follows: boolean): void {
    const changed = w.from !== this.window.from || w.to !== this.window.to || follows !== this.follows
    this.window = w
    this.follows = follows
    this.span = w.to - w.from
    if (!changed) return
    this.stale = true
    this.options.onWindow?.(w.from, w.to, follows)
  }

  /** The user looks elsewhere; looking at now again means following it. */
  private look(w: Window): void {
    const end = Math.max(this.length, this.now + (w.to - w.from) * 0.1)
    const inside = clampWindow(w, end)
    if (inside.to - inside.from > LONGEST) return
    const near =
      inside.to >= this.now &&
      inside.from <= this.now &&
      inside.to - this.now <= (inside.to - inside.from) * 0.12
    this.setWindow(inside, near && this.now > this.span)
  }

  // ── Painting ──────────────────────────────────────────────────────────────────────────────────

  private target(curves: Curves, layer: number): number {
    const wrong = curves.wrong[layer]
    return wrong ? Math.max(1, peakIn(curves.t, wrong, curves.size, this.window.from, this.window.to)) : 1
  }

  private settled(curves: Curves): boolean {
    return curves.layers.every((_, i) => Math.abs((this.scale[i] ?? 0) / this.target(curves, i) - 1) < 0.02)
  }

  /** Lanes are scaled to what is in sight; a change of scale glides. */
  private growScale(curves: Curves): void {
    this.scale = curves.layers.map((_, i) => {
      const target = this.target(curves, i)
      const is = this.scale[i]
      return is === undefined || target > is || Math.abs(target / is - 1) < 0.02
        ? target
        : is + (target - is) * 0.16
    })
  }

  private paint(ctx: CanvasRenderingContext2D, curves: Curves): void {
    const geometry = this.geometry()
    const { theme, window, width, now, scale } = this
    const scene: LaneScene = { geometry, curves, theme, window, width, now, scale }
    ctx.save()
    ctx.beginPath()
    ctx.rect(0, -OVERSCAN, width + 2, this.height + 2 * OVERSCAN)
    ctx.clip()
    paintAxis(ctx, scene)
    paintLayers(ctx, scene)
    this.clusters = paintMarks(ctx, scene, this.marks, this.hoveredMark)
    if (this.pointer && !this.grip && this.inLanes(this.pointer.y)) paintReading(ctx, scene, this.pointer.x)
    ctx.restore()
    paintPlayhead(ctx, scene)
    const lane = geometry.overview
    if (lane) {
      const bins = this.bins.update(curves, width, this.length)
      paintOverview(ctx, theme, lane, width, this.length, now, window, bins, this.marks)
    }
    if (this.surface.matches(':focus-visible')) this.surface.style.outlineOffset = '4px'
  }

  // ── Looking elsewhere ─────────────────────────────────────────────────────────────────────────

  private inLanes(y: number): boolean {
    const g = this.geometry()
    const last = g.layers[g.layers.length - 1]
    return last !== undefined && y >= g.layers[0]!.top && y < last.top + last.height
  }

  private inOverview(y: number): boolean {
    const lane = this.geometry().overview
    return lane !== null && y >= lane.top
  }

  private gripAt(x: number, y: number): Grip {
    const { window } = this
    if (!this.inOverview(y)) return { what: 'lanes', x, window }
    const k = this.width / this.length
    const [left, right] = [window.from * k, window.to * k]
    if (Math.abs(x - left) < 6 && right - left > 18) return { what: 'from', x, window }
    if (Math.abs(x - right) < 6 && right - left > 18) return { what: 'to', x, window }
    if (x >= left && x <= right) return { what: 'brush', x, window }
    // Elsewhere: the window jumps there and is held.
    const half = (window.to - window.from) / 2
    this.look({ from: x / k - half, to: x / k + half })
    return { what: 'brush', x, window: this.window }
  }

  private drag(x: number): void {
    const grip = this.grip!
    const { from, to } = grip.window
    const onRun = ((x - grip.x) / this.width) * this.length
    const inWindow = ((x - grip.x) / this.width) * (to - from)
    if (grip.what === 'lanes') this.look({ from: from - inWindow, to: to - inWindow })
    else if (grip.what === 'brush') this.look({ from: from + onRun, to: to + onRun })
    else if (grip.what === 'from') this.look({ from: Math.min(from + onRun, to - 1), to })
    else this.look({ from, to: Math.max(to + onRun, from + 1) })
  }

  private listen(): void {
    const on = this.surface
    const place = (e: MouseEvent): { x: number; y: number } => {
      const box = on.getBoundingClientRect()
      return { x: e.clientX - box.left, y: e.clientY - box.top }
    }
    let pressed: { x: number; y: number } | null = null
    on.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return
      const at = (pressed = place(e))
      this.grip = this.gripAt(at.x, at.y)
      on.setPointerCapture(e.pointerId)
    })
    on.addEventListener('pointermove', (e) => {
      const at = place(e)
      this.pointer = e.pointerType === 'mouse' ? at : null
      if (this.grip && pressed && Math.abs(at.x - pressed.x) > 2) this.drag(at.x)
      else this.point(at)
      this.stale = true
    })
    const release = (e: PointerEvent): void => {
      const at = place(e)
      if (e.type === 'pointerup' && pressed && Math.abs(at.x - pressed.x) <= 2) this.click(at)
      this.grip = pressed = null
      this.stale = true
    }
    on.addEventListener('pointerup', release)
    on.addEventListener('pointercancel', release)
    on.addEventListener('pointerleave', () => {
      this.pointer = this.hoveredMark = null
      this.stale = true
    })
    on.addEventListener('dblclick', () => this.follow())
    on.addEventListener('wheel', (e) => this.wheel(e, place(e).x), { passive: false })
    on.addEventListener('keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !this.key(e.key)) return
      e.preventDefault()
      e.stopPropagation()
    })
  }

  private point(at: { x: number; y: number }): void {
    const lane = this.geometry().events
    const on =
      lane && at.y < lane.top + lane.height
        ? this.clusters.find((c) => at.x > c.x - 9 && at.x < c.end + 9)
        : undefined
    this.hoveredMark = on?.marks[0] ?? null
    const overview = this.inOverview(at.y)
    const grip = overview ? this.edgeAt(at.x) : null
    this.surface.style.cursor = on ? 'pointer' : overview ? (grip ? 'ew-resize' : 'grab') : ''
  }

  private edgeAt(x: number): boolean {
    const k = this.width / this.length
    return [this.window.from, this.window.to].some((t) => Math.abs(t * k - x) < 6)
  }

  private click(at: { x: number; y: number }): void {
    this.point(at)
    if (this.hoveredMark) this.options.onMark?.(this.hoveredMark)
  }

  private wheel(e: WheelEvent, x: number): void {
    e.preventDefault()
    const { window: w, width } = this
    const unit = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const sideways = e.shiftKey ? e.deltaX || e.deltaY : e.deltaX
    if (!e.ctrlKey && Math.abs(sideways) >= Math.abs(e.shiftKey ? 0 : e.deltaY)) {
      const dt = ((sideways * unit) / width) * (w.to - w.from)
      this.look({ from: w.from + dt, to: w.to + dt })
      return
    }
    const factor = Math.exp(Math.max(-240, Math.min(240, e.deltaY * unit)) * 0.0018)
    // While following, now is what stays in place.
    const at = this.follows ? Math.min(this.now, w.to) : w.from + (x / width) * (w.to - w.from)
    this.zoom(at, factor)
  }

  private zoom(at: number, factor: number): void {
    const to = stretched(this.window, at, factor)
    const span = Math.min(LONGEST, Math.max(1, to.to - to.from))
    if (this.follows) {
      this.span = span
      this.stale = true
    } else this.look(to)
  }

  private key(key: string): boolean {
    const { window: w } = this
    const span = w.to - w.from
    switch (key) {
      case 'ArrowLeft':
        this.look({ from: w.from - span / 10, to: w.to - span / 10 })
        return true
      case 'ArrowRight':
        this.look({ from: w.from + span / 10, to: w.to + span / 10 })
        return true
      case 'Home':
        this.look({ from: 0, to: span })
        return true
      case 'End':
        this.follow()
        return true
      case '+':
      case '=':
        this.zoom(this.follows ? this.now : (w.from + w.to) / 2, 1 / 1.4)
        return true
      case '-':
        this.zoom(this.follows ? this.now : (w.from + w.to) / 2, 1.4)
        return true
      default:
        return false
    }
  }

  /** Where a virtual time is drawn, px from the left of the host. */
  xOf(t: number): number {
    return timeToX({ window: this.window, width: this.width }, t)
  }
}
