/**
 * The network. Nothing here is reactive: `setState` hands over columns that the socket goes on filling, and `frame`
 * compares them with what is painted.
 */
import type { Flights, MessageKind, State, World } from '../model'
import type { Box } from './camera'
import { neighbourInDirection } from './direction'
import type { GestureTarget } from './gestures'
import { Grid } from './grid'
import { Paths } from './paths'
import { Stage } from './stage'
import { readTheme } from './theme'
import { absorbLooks, absorbState, noChanges } from './topology/changes'
import { pressKey } from './topology/keys'
import type { Focus } from './topology/names'
import { Painter } from './topology/painter'
import { centremost, pickAt } from './topology/pick'
import { createScene, project, type Scene } from './topology/scene'
import { Viewpoint } from './topology/viewpoint'
import type { Direction, Hit, Padding, Picture, Point, TopologyOptions, Via } from './types'

const PADDING: Padding = { top: 36, right: 40, bottom: 58, left: 40 }

export class TopologyView implements Picture {
  private readonly stage: Stage
  private readonly painter: Painter
  private readonly view: Viewpoint
  private readonly paths = new Paths()
  private theme = readTheme(null)
  private world: World | null = null
  private state: State | null = null
  private scene: Scene | null = null
  private flights: Flights | null = null
  private kinds: readonly MessageKind[] = []
  private grid = new Grid([], [], 0)
  private selected: Hit | null = null
  private hovered: Hit | null = null
  /** Where the pointer has moved to since the last frame; null: away. */
  private pointer: Point | null | undefined
  private seen = { state: -1, paths: -1 }

  constructor(
    host: HTMLElement,
    private readonly options: TopologyOptions = {},
  ) {
    this.stage = new Stage(host, this.gestures(), (e) => this.key(e), options.reducedMotion)
    this.view = new Viewpoint({ ...PADDING, ...options.padding }, () => this.stage.still)
    this.painter = new Painter(this.stage.surface)
    this.setTheme()
  }

  setWorld(world: World): void {
    const before = this.world
    this.view.setWorld(world, before === null)
    this.grid = new Grid(world.x, world.y, world.n)
    const node = this.selected && 'node' in this.selected ? before?.ids[this.selected.node] : undefined
    const again = node === undefined ? -1 : world.ids.indexOf(node)
    this.selected = again < 0 ? null : { node: again }
    this.hovered = null
    this.world = world
    this.scene = null
    this.paths.forget()
    this.painter.replaceNames()
  }

  setState(state: State): void {
    this.state = state
    this.seen.state = -1
  }

  setFlights(flights: Flights, kinds: readonly MessageKind[]): void {
    this.flights = flights
    this.kinds = kinds
    this.paths.forget()
  }

  setTheme(): void {
    this.theme = readTheme(this.stage.theme)
    if (this.scene) this.scene.theme = this.theme
    this.painter.everything()
  }

  setPadding(padding: Partial<Padding>): void {
    this.view.pad(padding, this.scene !== null)
  }

  /** Where other things lie on the picture, px in the host: names keep away from there. */
  setCovered(boxes: readonly Box[]): void {
    this.painter.cover(boxes)
  }

  select(node: number | null): void {
    this.selected = node === null ? null : { node }
    this.painter.refocus()
  }

  selectLink(link: number | null): void {
    this.selected = link === null ? null : { link }
    this.painter.refocus()
  }

  /** Hovers a node from elsewhere; null leaves a link alone that the pointer is on here. */
  hover(node: number | null): void {
    if (node === null && this.hovered && 'link' in this.hovered) return
    this.hovered = node === null ? null : { node }
    this.painter.refocus()
  }

  setPublication(publication: number | null): void {
    this.paths.choose(publication)
  }

  deliver(node: number, publication: number): void {
    this.paths.deliver(node, publication)
  }

  forget(): void {
    this.paths.forget()
  }

  /** Shows the whole network. */
  fit(): void {
    this.view.fit()
  }

  /** Larger (> 1) or smaller around the middle of the picture. */
  zoomBy(factor: number): void {
    const { width, height } = this.view.camera
    this.view.zoomAround(width / 2, height / 2, factor)
  }

  /** Frames these nodes. */
  zoomTo(nodes: Iterable<number>): void {
    this.view.zoomTo(nodes)
  }

  /** Where a node is drawn, px in the host. */
  screenOf(node: number): Point {
    return this.view.screenOf(node)
  }

  /** The world coordinates under a point of the host. */
  worldAt(x: number, y: number): Point {
    return this.view.camera.worldAt(x, y)
  }

  /** The node that lies from `node` in a direction, the middle one when `node` is -1; -1: none. */
  neighbourInDirection(node: number, direction: Direction): number {
    const s = this.scene
    if (!s) return -1
    return node < 0 ? centremost(s) : neighbourInDirection(s.sx, s.sy, node, direction)
  }

  pick(x: number, y: number, via: Via = 'mouse'): Hit | null {
    return this.scene && pickAt(this.scene, this.grid, x, y, via)
  }

  frame(now: number, speed = 1): void {
    const wall = performance.now()
    const { view, paths, painter } = this
    const size = this.stage.size((this.world?.n ?? 0) > 3000 ? 1.5 : 3)
    if (painter.resize(size)) {
      view.resize(size)
      painter.everything()
    }
    if (!this.world || !this.state || size.width < 8 || size.height < 8) return
    const { panned, gliding } = view.step(wall)
    if (this.flights) paths.read(this.flights, this.kinds, now)
    this.absorb()
    const { scene } = this
    if (!scene) return
    if (gliding || panned) project(scene)
    if (panned) this.options.onCamera?.()
    this.point()
    painter.paint({
      scene,
      paths,
      flights: this.flights,
      kinds: this.kinds,
      now,
      speed,
      wall,
      moved: gliding || panned,
      settled: view.settled(wall),
      still: this.stage.still,
      grid: this.grid,
      focus: this.focus(),
      focused: this.stage.focused,
    })
  }

  destroy(): void {
    this.stage.remove()
  }

  private absorb(): void {
    const { state, world, paths, painter, view } = this
    // Between a new world and its first full frame the columns still have the old lengths.
    if (!state || !world || state.flags.length !== world.n || state.link.length !== world.m) return
    const changes = noChanges()
    const fresh = this.scene === null
    const scene = (this.scene ??= createScene(world, state, view.camera, view.layout, this.theme))
    if (fresh || state.version !== this.seen.state) absorbState(scene, state, paths, changes)
    else if (paths.version !== this.seen.paths) absorbLooks(scene, paths, changes)
    if (paths.version !== this.seen.paths) painter.retrace()
    this.seen = { state: state.version, paths: paths.version }
    if (fresh) {
      project(scene)
      painter.everything()
    } else painter.note(changes)
  }

  private focus(): Focus {
    const { selected, hovered } = this
    return {
      node: selected && 'node' in selected ? selected.node : -1,
      link: selected && 'link' in selected ? selected.link : -1,
      hoveredNode: hovered && 'node' in hovered ? hovered.node : -1,
      hoveredLink: hovered && 'link' in hovered ? hovered.link : -1,
      publisher: this.paths.publisher,
    }
  }

  private gestures(): GestureTarget {
    return {
      pan: (dx, dy) => this.view.pan(dx, dy),
      zoomAt: (x, y, factor) => this.view.zoomAt(x, y, factor),
      click: (at, via) => this.options.onPick?.(this.pick(at.x, at.y, via), at, via),
      doubleClick: (at) => {
        if (!this.pick(at.x, at.y)) this.view.zoomAround(at.x, at.y, 2)
      },
      point: (at) => (this.pointer = at),
      grab: (grabbing) => {
        this.view.grabbing = grabbing
        this.stage.surface.style.cursor = grabbing ? 'grabbing' : ''
      },
    }
  }

  /** Looks what the pointer is on, once a frame. */
  private point(): void {
    if (this.pointer === undefined) return
    const hit = this.pointer ? this.pick(this.pointer.x, this.pointer.y) : null
    this.pointer = undefined
    if (JSON.stringify(hit) === JSON.stringify(this.hovered)) return
    this.hovered = hit
    this.stage.surface.style.cursor = hit ? 'pointer' : ''
    this.painter.refocus()
    this.options.onHover?.(hit)
  }

  private key(e: KeyboardEvent): boolean {
    const { node } = this.focus()
    return pressKey(e, {
      step: (direction) => {
        const next = this.neighbourInDirection(node, direction)
        if (next < 0) return false
        this.options.onStep?.(next)
        this.view.reveal(next)
        return true
      },
      pan: (dx, dy) => this.view.pan(dx, dy),
      zoomBy: (factor) => this.zoomBy(factor),
      fit: () => this.fit(),
      pickSelected: () => {
        if (node < 0) return false
        this.options.onPick?.({ node }, this.screenOf(node), 'keyboard')
        return true
      },
    })
  }
}
