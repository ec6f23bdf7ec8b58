/**
 * The score: events and layers as lanes on one time axis, the whole run below with the window the lanes show.
 *
 * The window only looks: dragging it never moves the simulation.
 */
import type { Curves, Mark } from '../model'
import type { Reached } from '../reached'
import { Camera } from './camera'
import { Layer } from './layer'
import { scoreGeometry, type Window } from './score/geometry'
import { peakIn } from './score/humps'
import {
  paintAxis,
  paintDelivery,
  paintLayers,
  paintPlayhead,
  paintReading,
  timeToX,
  type LaneScene,
} from './score/lanes'
import { listenScore } from './score/listen'
import { Looking, type Grip } from './score/looking'
import { paintMarks, type Cluster } from './score/marks'
import { Bins, paintOverview } from './score/overview'
import { readTheme } from './theme'
import type { Point, Score, ScoreGeometry, ScoreOptions } from './types'

/** The knob of the playhead stands out above. */
const OVERSCAN = 16

export class ScoreView implements Score {
  private readonly surface: HTMLDivElement
  private readonly layer: Layer
  private readonly observer: ResizeObserver
  /** The score has none; its layer only needs something that says where it is. */
  private readonly camera = new Camera()
  private readonly looking: Looking
  private readonly bins = new Bins()
  private theme = readTheme(null)
  private curves: Curves | null = null
  private marks: readonly Mark[] = []
  private reached: Reached | null = null
  private width = 0
  private height = 0
  /** Count that fills each lane. */
  private scale: number[] = []
  private clusters: Cluster[] = []
  private pointer: Point | null = null
  private hovered: Mark | null = null
  private grip: Grip | null = null
  private stale = true
  private painted = NaN

  constructor(
    private readonly host: HTMLElement,
    private readonly options: ScoreOptions = {},
  ) {
    this.looking = new Looking((w, follows) => {
      this.stale = true
      options.onWindow?.(w.from, w.to, follows)
    })
    this.surface = document.createElement('div')
    Object.assign(this.surface.style, {
      position: 'absolute',
      inset: '0',
      touchAction: 'pan-y',
      outlineOffset: '4px',
    })
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

  setDelivery(reached: Reached): void {
    this.reached = reached
    this.stale = true
  }

  setDuration(duration: number | null): void {
    this.looking.duration = duration
    this.stale = true
  }

  setTheme(): void {
    this.theme = readTheme(this.host)
    this.stale = true
  }

  geometry(): ScoreGeometry {
    const { laneHeight = 30, phone = false, delivery = false } = this.options
    return scoreGeometry(this.curves?.layers.length ?? 4, laneHeight, phone, delivery)
  }

  /** Back to now, which the window then keeps in sight. */
  follow(): void {
    this.looking.follow()
  }

  /** What the lanes show, virtual s. */
  get visible(): Window {
    return this.looking.window
  }

  /** Where a virtual time is drawn, px from the left of the host. */
  xOf(t: number): number {
    return timeToX({ window: this.looking.window, width: this.width }, t)
  }

  frame(now: number): void {
    if (this.layer.resize(this.width, this.height, Math.min(devicePixelRatio || 1, 3))) this.stale = true
    const { curves, looking } = this
    if (!curves || this.width < 20) return
    // At real speed the picture moves by half a pixel a frame: whole ones are enough.
    const moved = Math.abs(this.xOf(now) - this.xOf(this.painted))
    if (!this.stale && moved < 0.9 && !this.rescaling(curves)) return
    looking.advance(now)
    this.rescale(curves)
    this.layer.repaint(this.camera, (ctx) => this.paint(ctx, curves))
    this.stale = false
    this.painted = now
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

  /** The most that is wrong in sight. */
  private peak(curves: Curves, layer: number): number {
    const wrong = curves.wrong[layer]
    const { from, to } = this.looking.window
    return wrong ? Math.max(1, peakIn(curves.t, wrong, curves.size, from, to)) : 1
  }

  private rescaling(curves: Curves): boolean {
    return curves.layers.some((_, i) => Math.abs((this.scale[i] ?? 0) / this.peak(curves, i) - 1) >= 0.02)
  }

  /** Lanes are filled by what is in sight; when a peak has gone out of sight they glide. */
  private rescale(curves: Curves): void {
    this.scale = curves.layers.map((_, i) => {
      const peak = this.peak(curves, i)
      const is = this.scale[i]
      return is === undefined || peak > is || is / peak - 1 < 0.02 ? peak : is + (peak - is) * 0.16
    })
  }

  private paint(ctx: CanvasRenderingContext2D, curves: Curves): void {
    const geometry = this.geometry()
    const { theme, width, scale, looking, marks, reached } = this
    const { window, now, length } = looking
    const scene: LaneScene = { geometry, curves, theme, window, width, now, scale, reached }
    ctx.save()
    ctx.beginPath()
    ctx.rect(0, -OVERSCAN, width + 2, this.height + 2 * OVERSCAN)
    ctx.clip()
    paintAxis(ctx, scene)
    paintLayers(ctx, scene)
    paintDelivery(ctx, scene)
    this.clusters = paintMarks(ctx, scene, marks, this.hovered)
    if (this.pointer && !this.grip && this.inLanes(this.pointer)) paintReading(ctx, scene, this.pointer.x)
    ctx.restore()
    paintPlayhead(ctx, scene)
    const lane = geometry.overview
    if (!lane) return
    const bins = this.bins.update(curves, width, length)
    paintOverview(ctx, theme, lane, width, length, now, window, bins, marks)
  }

  private inLanes({ y }: Point): boolean {
    const { layers, delivery } = this.geometry()
    const last = delivery ?? layers.at(-1)
    return last !== undefined && y >= layers[0]!.top && y < last.top + last.height
  }

  private inOverview({ y }: Point): boolean {
    const lane = this.geometry().overview
    return lane !== null && y >= lane.top
  }

  private markAt({ x, y }: Point): Mark | null {
    const lane = this.geometry().events
    if (!lane || y >= lane.top + lane.height) return null
    return this.clusters.find((c) => x > c.x - 9 && x < c.end + 9)?.marks[0] ?? null
  }

  private listen(): void {
    const { looking, surface } = this
    listenScore(surface, {
      press: (at) => {
        this.grip = this.inOverview(at)
          ? looking.gripOverview(at.x, this.width)
          : { what: 'lanes', x: at.x, window: looking.window }
      },
      drag: (at) => {
        this.pointer = null
        if (this.grip) looking.drag(this.grip, at.x, this.width)
      },
      release: (at, click) => {
        const mark = click ? this.markAt(at) : null
        if (mark) this.options.onMark?.(mark)
        this.grip = null
        this.stale = true
      },
      point: (at) => {
        this.pointer = at
        this.hovered = at && this.markAt(at)
        surface.style.cursor = at ? this.cursorAt(at) : ''
        this.stale = true
      },
      doubleClick: () => looking.follow(),
      wheel: (x, sideways, factor) => {
        const { from, to } = looking.window
        const at = looking.follows ? looking.now : from + (x / this.width) * (to - from)
        if (sideways) looking.shift((sideways / this.width) * (to - from))
        else looking.zoom(at, factor)
      },
      key: (key) => looking.key(key),
    })
  }

  private cursorAt(at: Point): string {
    if (this.hovered) return 'pointer'
    if (!this.inOverview(at)) return ''
    return this.looking.edgeAt(at.x, this.width) ? 'ew-resize' : 'grab'
  }
}
