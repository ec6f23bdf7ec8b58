/**
 * The network: layered canvases, each repainted only when what it shows has changed.
 *
 * From the bottom: the healing region, links, trails, nodes, messages in flight, names and rings. Nothing here is
 * reactive: `setState` hands over columns that the socket goes on filling, and `frame` compares.
 */
import { FLAG, type Flights, type MessageKind, type State, type World } from '../model'
import { Camera } from './camera'
import { arrowDirection, neighbourInDirection } from './direction'
import { distanceToSegment, Grid } from './grid'
import { Layer } from './layer'
import { Layout } from './layout'
import { Paths } from './paths'
import { Stage } from './stage'
import { readTheme } from './theme'
import { paintBlob } from './topology/blob'
import { CrossFade } from './topology/crossfade'
import { Labels, paintLink, paintRings, type Label } from './topology/labels'
import { paintLinks } from './topology/links'
import { paintNodes, repaintNodes } from './topology/nodes'
import { LOOK, lookOf, nodeRadius, type Scene } from './topology/scene'
import { paintMessages, paintTrails, tooMany } from './topology/traffic'
import { healingRegion, linkKind, subtreeSizes } from './tree'
import type { Direction, Hit, Padding, Picture, Point, TopologyOptions, Via } from './types'

/** A gesture is over when the camera has stood still for so long, ms. */
const SETTLE = 140
const GLIDE = 420
/** Static layers reach beyond the edges, so that panning does not uncover bare ground at once. */
const OVERSCAN = 64
const PADDING: Padding = { top: 36, right: 40, bottom: 58, left: 40 }

export class TopologyView implements Picture {
  private readonly stage: Stage
  private readonly camera = new Camera()
  private readonly layout = new Layout()
  private readonly paths = new Paths()
  private readonly labels = new Labels()
  private readonly blob: Layer
  private readonly links: CrossFade
  private readonly trails: Layer
  private readonly nodes: Layer
  private readonly messages: Layer
  private readonly overlay: Layer
  private theme = readTheme(null)
  private world: World | null = null
  private buffers: Pick<Scene, 'sx' | 'sy' | 'look' | 'subtree' | 'kind' | 'region'> | null = null
  private scene: Scene | null = null
  private state: State | null = null
  private flights: Flights | null = null
  private kinds: readonly MessageKind[] = []
  private grid = new Grid([], [], 0)
  private padding: Padding

  private selected = -1
  private selectedLink = -1
  private hovered: Hit | null = null
  private pointer: Point | null | undefined
  private failed: number[] = []
  private touched = false
  private grabbing = false

  private stale = {
    region: true,
    links: true,
    fade: false,
    nodes: true,
    trails: true,
    overlay: true,
    places: true,
  }
  private changed: number[] = []
  private seen = { state: -1, camera: -1, paths: -1, now: NaN, radius: 0, focus: false }
  private moved = 0
  private linksPainted = 0
  private inFlight = 0
  private regionSize = 0

  constructor(
    host: HTMLElement,
    private readonly options: TopologyOptions = {},
  ) {
    this.padding = { ...PADDING, ...options.padding }
    this.stage = new Stage(host, this.gestures(), (e) => this.key(e), options.reducedMotion)
    const on = this.stage.surface
    this.blob = new Layer(on, 'region', OVERSCAN)
    this.blob.canvas.style.transition = 'opacity 200ms'
    this.links = new CrossFade(on, 'links', OVERSCAN)
    this.trails = new Layer(on, 'trails')
    this.nodes = new Layer(on, 'nodes', OVERSCAN)
    this.messages = new Layer(on, 'messages')
    this.overlay = new Layer(on, 'names')
    this.setTheme()
  }

  setWorld(world: World): void {
    const before = this.scene?.world
    const wall = performance.now()
    this.layout.setWorld(world, wall, before !== undefined && world.n <= 2000 && !this.stage.still)
    this.grid = new Grid(world.x, world.y, world.n)
    this.selected = before ? world.ids.indexOf(before.ids[this.selected] ?? '\0') : -1
    this.selectedLink = -1
    this.hovered = null
    this.failed = []
    this.paths.forget()
    this.labels.replace()
    this.scene = null
    this.seen.state = -1
    const n = world.n
    this.world = world
    this.buffers = {
      sx: new Float32Array(n),
      sy: new Float32Array(n),
      look: new Uint8Array(n),
      subtree: new Int32Array(n),
      kind: new Uint8Array(world.m),
      region: new Uint8Array(n),
    }
    this.everything()
    if (!before || !this.touched) this.refit(before ? GLIDE : 0)
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
    this.everything()
  }

  setPadding(padding: Partial<Padding>): void {
    this.padding = { ...this.padding, ...padding }
    if (!this.touched) this.refit(0)
  }

  select(node: number | null): void {
    this.selected = node ?? -1
    this.selectedLink = -1
    this.stale.overlay = this.stale.places = true
  }

  selectLink(link: number | null): void {
    this.selectedLink = link ?? -1
    this.selected = -1
    this.stale.overlay = this.stale.places = true
  }

  hover(node: number | null): void {
    this.hovered = node === null ? null : { node }
    this.stale.overlay = this.stale.places = true
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
    this.touched = false
    this.refit(this.stage.still ? 0 : GLIDE)
  }

  /** Larger (> 1) or smaller around the middle of the picture. */
  zoomBy(factor: number): void {
    this.touched = true
    const { width, height, scale, x, y } = this.camera
    const k = Math.min(24, Math.max(0.05, factor))
    const to = { scale: scale * k, x: width / 2 + (x - width / 2) * k, y: height / 2 + (y - height / 2) * k }
    this.camera.glide(to, performance.now(), this.stage.still ? 0 : 160)
  }

  /** Frames these nodes. */
  zoomTo(nodes: Iterable<number>): void {
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
    for (const v of nodes) {
      box.left = Math.min(box.left, this.layout.x[v]!)
      box.right = Math.max(box.right, this.layout.x[v]!)
      box.top = Math.min(box.top, this.layout.y[v]!)
      box.bottom = Math.max(box.bottom, this.layout.y[v]!)
    }
    if (box.left > box.right) return
    this.touched = true
    this.camera.show(box, this.padding, performance.now(), this.stage.still ? 0 : GLIDE)
  }

  /** Where a node is drawn, px in the host. */
  screenOf(node: number): Point {
    return {
      x: this.camera.screenX(this.layout.x[node] ?? 0),
      y: this.camera.screenY(this.layout.y[node] ?? 0),
    }
  }

  /** The world coordinates under a point of the host. */
  worldAt(x: number, y: number): Point {
    return this.camera.worldAt(x, y)
  }

  neighbourInDirection(node: number, direction: Direction): number {
    const s = this.scene
    if (!s) return -1
    return node < 0 ? this.centremost(s) : neighbourInDirection(s.sx, s.sy, node, direction)
  }

  pick(x: number, y: number, via: Via = 'mouse'): Hit | null {
    const s = this.scene
    if (!s) return null
    const { camera } = this
    const at = camera.worldAt(x, y)
    const tolerance = via === 'touch' ? 22 : Math.max(9, s.r + 5)
    const node = this.grid.nearest(at.x, at.y, tolerance, camera.scale * camera.ax, camera.scale * camera.ay)
    if (node >= 0) return { node }
    const link = nearestLink(s, x, y, via === 'touch' ? 14 : 5)
    return link >= 0 ? { link } : null
  }

  frame(now: number, speed = 1): void {
    const wall = performance.now()
    this.measure()
    const { camera, layout } = this
    if (!this.world || !this.state || camera.width < 8 || camera.height < 8) return
    camera.step(wall)
    const moving = layout.step(wall)
    const cameraMoved = camera.version !== this.seen.camera
    if (cameraMoved) this.moved = wall
    this.absorb()
    const scene = this.scene
    if (!scene) return
    if (moving || cameraMoved) this.project(scene)
    if (cameraMoved) this.options.onCamera?.()
    this.point()
    if (this.flights) this.paths.read(this.flights, this.kinds)
    this.absorbPaths()
    const settled = !this.grabbing && !camera.gliding && wall - this.moved > SETTLE
    if (moving) this.stale.region = this.stale.links = this.stale.nodes = true
    this.paintStatic(scene, settled, wall)
    this.paintTraffic(scene, now, speed, cameraMoved || moving)
    this.paintOverlay(scene, cameraMoved || moving, settled)
    this.seen.camera = camera.version
    this.seen.now = now
  }

  destroy(): void {
    this.stage.remove()
  }

  // ── What changed ──────────────────────────────────────────────────────────────────────────────

  private everything(): void {
    this.stale = {
      region: true,
      links: true,
      fade: false,
      nodes: true,
      trails: true,
      overlay: true,
      places: true,
    }
  }

  private refit(lasts: number): void {
    if (this.camera.width) this.camera.fit(this.layout.box, this.padding, performance.now(), lasts)
  }

  private measure(): void {
    const { width, height, ratio } = this.stage.size((this.world?.n ?? 0) > 3000 ? 1.5 : 3)
    const sized = [this.blob, this.links, this.trails, this.nodes, this.messages, this.overlay].map((l) =>
      l.resize(width, height, ratio),
    )
    if (!sized.includes(true)) return
    this.camera.width = width
    this.camera.height = height
    this.camera.version++
    if (!this.touched) this.refit(0)
    this.everything()
  }

  /** Compares the state with what is painted. */
  private absorb(): void {
    const { state, world, buffers } = this
    if (!state || !world || !buffers || state.flags.length !== world.n || state.link.length !== world.m)
      return
    if (state.version === this.seen.state && this.scene) return
    this.seen.state = state.version
    const fresh = !this.scene
    const scene: Scene = (this.scene ??= {
      world,
      state,
      camera: this.camera,
      layout: this.layout,
      theme: this.theme,
      r: 3,
      ...buffers,
    })
    scene.state = state
    subtreeSizes(state.parent, scene.subtree)
    let relinked = false
    for (let k = 0; k < world.m; k++) {
      const kind = linkKind(world, state, k)
      if (kind === scene.kind[k]) continue
      scene.kind[k] = kind
      relinked = true
    }
    const region = scene.region.slice()
    this.regionSize = healingRegion(state.flags, scene.region)
    if (relinked || region.some((r, v) => r !== scene.region[v])) this.stale.region = true
    if (relinked) {
      this.stale.links = true
      this.stale.fade = !fresh
    }
    this.absorbLooks(scene)
    if (fresh) {
      this.project(scene)
      this.everything()
    }
  }

  private absorbLooks(scene: Scene): void {
    const { state, look, subtree, world } = scene
    const { publisher, delivered } = this.paths
    for (let v = 0; v < world.n; v++) {
      const is = lookOf(state.flags[v]!, subtree[v]!, v === publisher, delivered.has(v))
      if (is === look[v]) continue
      if (is === LOOK.failed) this.failed.unshift(v)
      else if (look[v] === LOOK.failed) this.failed = this.failed.filter((f) => f !== v)
      look[v] = is
      this.changed.push(v)
      if (is >= LOOK.root) this.stale.overlay = this.stale.places = true
    }
  }

  private absorbPaths(): void {
    if (this.paths.version === this.seen.paths) return
    this.seen.paths = this.paths.version
    this.stale.trails = true
    if (this.scene) this.absorbLooks(this.scene)
  }

  private project(scene: Scene): void {
    const { camera, layout } = this
    for (let v = 0; v < scene.world.n; v++) {
      scene.sx[v] = camera.screenX(layout.x[v]!)
      scene.sy[v] = camera.screenY(layout.y[v]!)
    }
    scene.r = nodeRadius(layout.spacing * camera.scale * Math.sqrt(camera.ax * camera.ay))
  }

  // ── Painting ──────────────────────────────────────────────────────────────────────────────────

  private paintStatic(scene: Scene, settled: boolean, wall: number): void {
    const { stale, camera } = this
    this.links.step(wall)
    // A state arrives many times a second; what is dear to paint must leave time for everything else.
    const due = !this.links.fading(wall) && wall - this.linksPainted > this.links.cost * 5
    if (this.links.follow(camera, settled) || (stale.links && due)) {
      const fade = stale.fade && settled && !this.stage.still
      this.links.repaint(camera, (ctx) => paintLinks(ctx, scene, this.links.bounds), fade, wall)
      this.linksPainted = wall
      stale.links = stale.fade = false
    }
    this.blob.canvas.style.opacity = this.regionSize ? '1' : '0'
    if (this.regionSize && (this.blob.follow(camera, settled) || stale.region)) {
      this.blob.repaint(camera, (ctx) => paintBlob(ctx, scene))
      stale.region = false
    }
    if (this.nodes.follow(camera, settled) || stale.nodes || this.changed.length > scene.world.n / 8) {
      this.nodes.repaint(camera, (ctx) => paintNodes(ctx, scene, this.nodes.bounds, null, settled))
      stale.nodes = !settled
      this.changed = []
    } else if (this.changed.length && this.nodes.inPlace(camera)) {
      repaintNodes(this.nodes.begin(false), scene, this.grid, this.nodes.bounds, this.changed)
      this.changed = []
    }
  }

  private paintTraffic(scene: Scene, now: number, speed: number, moved: boolean): void {
    const { paths, stale, camera, flights } = this
    const still = this.stage.still
    const ticked = now !== this.seen.now
    const growing = ticked && this.seen.now <= paths.lastArrival
    if (stale.trails || moved || growing) {
      this.trails.repaint(camera, (ctx) => paintTrails(ctx, scene, paths, now, still))
      this.trails.show(paths.path.length > 0 || paths.older.length > 0)
      stale.trails = false
    }
    if (!flights || (!ticked && !moved && !stale.overlay)) return
    if (!flights.size && !this.inFlight) return
    const many = tooMany(this.inFlight)
    this.messages.repaint(camera, (ctx) => {
      this.inFlight = paintMessages(ctx, scene, flights, this.kinds, now, speed, paths.longest, still, many)
    })
  }

  private paintOverlay(scene: Scene, moved: boolean, settled: boolean): void {
    const { stale, overlay } = this
    const focus = this.stage.focused
    if (focus !== this.seen.focus) stale.overlay = true
    this.seen.focus = focus
    if (!stale.overlay && !moved && !(stale.places && settled)) return
    overlay.repaint(this.camera, (ctx) => {
      if (this.hovered && 'link' in this.hovered) paintLink(ctx, scene, this.hovered.link, false)
      if (this.selectedLink >= 0) paintLink(ctx, scene, this.selectedLink, true)
      const hovered = this.hovered && 'node' in this.hovered ? this.hovered.node : -1
      paintRings(ctx, scene, hovered, this.selected, focus)
      this.labels.paint(
        ctx,
        scene,
        this.namesToShow(scene, hovered),
        this.grid,
        this.paths.path,
        stale.places && settled,
      )
    })
    stale.overlay = false
    stale.places = moved || (stale.places && !settled)
  }

  private namesToShow(scene: Scene, hovered: number): Label[] {
    const { look, world, r } = scene
    const labels = new Map<number, Label>()
    const add = (node: number, caption: string, size = 12, weight = 600): void => {
      if (node >= 0 && !labels.has(node)) labels.set(node, { node, caption, size, weight })
    }
    const caption = (v: number): string => {
      if (look[v] === LOOK.failed) return 'failed'
      if (look[v] === LOOK.root || look[v] === LOOK.wrongRoot) return 'root'
      return v === this.paths.publisher ? 'publishes' : ''
    }
    add(this.selected, caption(this.selected), 13, 700)
    add(hovered, caption(hovered))
    if (this.hovered && 'link' in this.hovered)
      for (const v of [world.from, world.to]) add(v[this.hovered.link]!, '')
    for (const v of this.failed.slice(0, 5)) add(v, 'failed', 12, 700)
    if (this.camera.width >= 480) {
      let roots = 0
      for (let v = 0; v < world.n && roots < 4; v++)
        if (look[v] === LOOK.root || look[v] === LOOK.wrongRoot) {
          add(v, 'root')
          roots++
        }
      add(this.paths.publisher, caption(this.paths.publisher))
    }
    // In a network as small as a worked example every name fits, and is needed to follow it.
    if (world.n <= 40 && r >= 6) {
      const inside = (v: number): boolean =>
        r >= 8.5 && (world.names[v]?.length ?? 9) <= 2 && look[v]! <= LOOK.subscriber
      for (let v = 0; v < world.n; v++) if (!inside(v)) add(v, '', 12, 500)
    }
    return [...labels.values()]
  }

  // ── Pointer and keyboard ──────────────────────────────────────────────────────────────────────

  private gestures(): ConstructorParameters<typeof Stage>[1] {
    return {
      pan: (dx, dy) => {
        this.touched = true
        this.camera.pan(dx, dy)
      },
      zoomAt: (x, y, factor) => {
        this.touched = true
        this.camera.zoomAt(x, y, factor)
      },
      click: (at, via) => this.options.onPick?.(this.pick(at.x, at.y, via), at, via),
      doubleClick: (at) => {
        if (this.pick(at.x, at.y)) return
        const { scale, x, y } = this.camera
        this.touched = true
        const to = { scale: scale * 2, x: at.x + (x - at.x) * 2, y: at.y + (y - at.y) * 2 }
        this.camera.glide(to, performance.now(), this.stage.still ? 0 : 200)
      },
      point: (at) => (this.pointer = at),
      grab: (grabbing) => {
        this.grabbing = grabbing
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
    this.stale.overlay = this.stale.places = true
    this.options.onHover?.(hit)
  }

  private key(e: KeyboardEvent): boolean {
    const direction = arrowDirection(e.key)
    if (direction && e.shiftKey) {
      const step = { left: [60, 0], right: [-60, 0], up: [0, 60], down: [0, -60] }[direction] as [
        number,
        number,
      ]
      this.touched = true
      this.camera.pan(...step)
      return true
    }
    if (direction) {
      const next = this.neighbourInDirection(this.selected, direction)
      if (next < 0) return false
      this.options.onStep?.(next)
      this.reveal(next)
      return true
    }
    switch (e.key) {
      case '+':
      case '=':
        this.zoomBy(1.4)
        return true
      case '-':
        this.zoomBy(1 / 1.4)
        return true
      case '0':
        this.fit()
        return true
      case 'Enter':
        if (this.selected < 0) return false
        this.options.onPick?.({ node: this.selected }, this.screenOf(this.selected), 'keyboard')
        return true
      default:
        return false
    }
  }

  /** Brings a node into the picture if it lies outside. */
  private reveal(node: number): void {
    const { x, y } = this.screenOf(node)
    const { width, height } = this.camera
    const dx = Math.max(0, 40 - x) - Math.max(0, x - (width - 40))
    const dy = Math.max(0, 40 - y) - Math.max(0, y - (height - 40))
    if (dx || dy) this.camera.pan(dx, dy)
  }

  private centremost(s: Scene): number {
    const { width, height } = this.camera
    let best = -1
    let least = Infinity
    for (let v = 0; v < s.world.n; v++) {
      if (!(s.state.flags[v]! & FLAG.alive)) continue
      const d = Math.hypot(s.sx[v]! - width / 2, s.sy[v]! - height / 2)
      if (d < least) [least, best] = [d, v]
    }
    return best
  }
}

function nearestLink({ world, sx, sy }: Scene, x: number, y: number, tolerance: number): number {
  let best = -1
  let least = tolerance
  for (let k = 0; k < world.m; k++) {
    const a = world.from[k]!
    const b = world.to[k]!
    const d = distanceToSegment(x, y, sx[a]!, sy[a]!, sx[b]!, sy[b]!)
    if (d < least) [least, best] = [d, k]
  }
  return best
}
