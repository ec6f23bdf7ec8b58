/** The virtual ring, in two canvases: how it stands below, what moves and what is looked at above. */
import { FLAG, type Flights, type MessageKind, type State, type World } from '../model'
import { Camera } from './camera'
import { arrowDirection } from './direction'
import { Heads } from './heads'
import { Layer } from './layer'
import { Paths } from './paths'
import { addChord, paintCrown } from './ring/crown'
import { RingGeometry } from './ring/geometry'
import { partsOf, ringOf, shortcuts, type Part, type Ring } from './ring/model'
import { nextPosition, positionNear } from './ring/walk'
import { paintSmallRings, placeSmallRings, type SmallRing } from './ring/others'
import { paintNamed, paintPositions, paintRoot } from './ring/positions'
import type { RingScene } from './ring/scene'
import { labelPositions, paintHovered, paintPath, paintRingMessages, paintSelected } from './ring/traffic'
import { Stage } from './stage'
import { readTheme } from './theme'
import type { Hit, Padding, Picture, PictureOptions, Point, Via } from './types'

const PADDING: Padding = { top: 44, right: 0, bottom: 44, left: 0 }
/** Room for the small rings of a split network. */
const OTHERS = 52

export interface RingOptions extends PictureOptions {
  padding?: Partial<Padding>
  /** Which kinds of wrong (FLAG.wrong bits) count as wrong here; default: any. */
  wrongMask?: number
}

export class RingView implements Picture {
  private readonly stage: Stage
  private readonly paths = new Paths()
  private readonly heads = new Heads(300)
  private readonly crown: Layer
  private readonly live: Layer
  /** The ring does not pan or zoom; layers only need something that says where they are. */
  private readonly camera = new Camera()
  private padding: Padding
  private theme = readTheme(null)
  private wrongMask: number
  private world: World | null = null
  private state: State | null = null
  private flights: Flights | null = null
  private kinds: readonly MessageKind[] = []
  private scene: RingScene | null = null
  private parts: Part[] = []
  private small: SmallRing[] = []

  private selected = -1
  private hovered = -1
  private position = 0
  private pointer: Point | null | undefined
  private stale = { ring: true, crown: true, live: true }
  private seen = { state: -1, paths: -1, now: NaN }
  private painted = 0

  constructor(
    host: HTMLElement,
    private readonly options: RingOptions = {},
  ) {
    this.padding = { ...PADDING, ...options.padding }
    this.wrongMask = options.wrongMask ?? FLAG.anyWrong
    this.stage = new Stage(
      host,
      {
        pan: () => undefined,
        zoomAt: () => undefined,
        click: (at, via) => options.onPick?.(this.pick(at.x, at.y, via), at, via),
        doubleClick: () => undefined,
        point: (at) => (this.pointer = at),
        grab: () => undefined,
      },
      (e) => this.key(e),
      options.reducedMotion,
    )
    this.crown = new Layer(this.stage.surface, 'crown', { opaque: true })
    this.live = new Layer(this.stage.surface, 'live')
    this.setTheme()
  }

  setWorld(world: World): void {
    this.selected = this.world ? world.ids.indexOf(this.world.ids[this.selected] ?? '\0') : -1
    this.world = world
    this.hovered = -1
    this.paths.forget()
    this.scene = null
    this.seen.state = -1
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
    this.stale.ring = true
  }

  setPadding(padding: Partial<Padding>): void {
    this.padding = { ...this.padding, ...padding }
    this.stale.ring = true
  }

  /** Which kinds of wrong count as wrong on the ring, for instance those up to the ring's own layer. */
  setWrongMask(mask: number): void {
    this.wrongMask = mask
    this.stale.ring = true
  }

  select(node: number | null): void {
    const part = (v: number): number => this.state?.part[v] ?? -1
    if (part(node ?? -1) !== part(this.selected)) this.stale.ring = true
    this.selected = node ?? -1
    this.stale.live = true
  }

  hover(node: number | null): void {
    this.hovered = node ?? -1
    this.stale.live = true
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

  /** The ring that is shown: of the selected node's part, or of the largest. */
  get ring(): Ring | null {
    return this.scene?.ring ?? null
  }

  pick(x: number, y: number, via: Via = 'mouse'): Hit | null {
    const s = this.scene
    if (!s) return null
    for (const r of this.small)
      if (Math.hypot(x - r.x, y - r.y) < r.r + 14 && r.root >= 0) return { node: r.root }
    const at = positionNear(s, x, y, via === 'touch' ? 26 : 14)
    if (at < 0) return null
    this.position = at
    return { node: s.ring.owner[at]! }
  }

  frame(now: number, speed = 1): void {
    const { width, height, ratio } = this.stage.size()
    for (const layer of [this.crown, this.live])
      if (layer.resize(width, height, ratio)) this.stale.ring = true
    if (!this.world || !this.state || width < 60 || height < 60) return
    if (this.flights) this.paths.read(this.flights, this.kinds, now)
    this.absorb(width, height)
    const scene = this.scene
    if (!scene) return
    this.point()
    const wall = performance.now()
    if (this.stale.crown && wall - this.painted > this.crown.cost * 5) {
      this.crown.repaint(this.camera, (ctx) => {
        ctx.fillStyle = scene.theme.color.paper
        ctx.fillRect(0, 0, width, height)
        paintCrown(ctx, scene)
        paintSmallRings(ctx, scene.theme, this.small, this.parts.length - 1 - this.small.length)
      })
      this.painted = wall
      this.stale.crown = false
      this.stale.live = true
    }
    this.paintLive(scene, now, speed)
  }

  destroy(): void {
    this.stage.remove()
  }

  private absorb(width: number, height: number): void {
    const { state, world } = this
    if (!state || !world || state.flags.length !== world.n || state.link.length !== world.m) return
    if (state.version === this.seen.state && !this.stale.ring) return
    this.seen.state = state.version
    this.parts = partsOf(state)
    const wanted = this.selected >= 0 ? state.part[this.selected]! : -1
    const part = wanted >= 0 ? wanted : (this.parts[0]?.part ?? 0)
    const ring = ringOf(state, part, this.wrongMask)
    const split = this.parts.length > 1
    const pad = split ? { ...this.padding, bottom: Math.max(this.padding.bottom, OTHERS + 8) } : this.padding
    this.small = split ? placeSmallRings(this.parts, part, width, height) : []
    this.scene = {
      ring,
      g: new RingGeometry(width, height, pad, ring.length, ring.deepest, ring.members),
      state,
      theme: this.theme,
      chords: shortcuts(world, state, ring),
      wrongMask: this.wrongMask,
    }
    this.stale.ring = false
    this.stale.crown = true
  }

  private paintLive(scene: RingScene, now: number, speed: number): void {
    const { paths, flights, stale } = this
    const ticked = now !== this.seen.now
    const busy =
      flights !== null && ticked && (flights.size > 0 || flights.losses.size > 0 || this.heads.count > 0)
    if (!stale.live && !busy && paths.version === this.seen.paths) return
    this.live.repaint(this.camera, (ctx) => {
      const { still } = this.stage
      const hovered = this.positionsOf(this.hovered)
      const selected = this.positionsOf(this.selected)
      if (scene.ring.length > 500 && selected.length) this.paintOwnChords(ctx, scene, selected)
      paintPath(ctx, scene, paths, now, still)
      if (this.hovered !== this.selected) paintHovered(ctx, scene, hovered)
      // The crown has all of them; the path must not cover those it touches.
      paintPositions(ctx, scene, this.touchedPositions(paths), paths.delivered)
      paintSelected(ctx, scene, selected)
      paintRoot(ctx, scene, selected.includes(0))
      paintNamed(ctx, scene, this.world?.names ?? [], paths.delivered, paths.publisher)
      if (flights)
        paintRingMessages(ctx, scene, this.heads, flights, this.kinds, now, speed, paths.longest, still)
      labelPositions(ctx, scene, selected, 700)
      if (this.hovered !== this.selected) labelPositions(ctx, scene, hovered, 600)
    })
    stale.live = false
    this.seen.paths = paths.version
    this.seen.now = now
  }

  /** On a ring too dense to show every shortcut: those of the selected node. */
  private paintOwnChords(
    ctx: CanvasRenderingContext2D,
    { g, chords, theme }: RingScene,
    own: readonly number[],
  ): void {
    const mine = new Set(own)
    ctx.strokeStyle = theme.color['ink-3']
    ctx.lineWidth = 1
    ctx.beginPath()
    for (let i = 0; i < chords.length; i += 2)
      if (mine.has(chords[i]!) || mine.has(chords[i + 1]!)) addChord(ctx, g, chords[i]!, chords[i + 1]!)
    ctx.stroke()
  }

  private touchedPositions(paths: Paths): Set<number> {
    const touched = new Set<number>()
    for (const hop of paths.path) touched.add(hop.fromPos).add(hop.toPos)
    for (const v of paths.delivered) for (const p of this.positionsOf(v)) touched.add(p)
    return touched
  }

  private positionsOf(node: number): number[] {
    const s = this.scene
    if (!s || node < 0 || s.state.part[node] !== s.ring.part) return []
    return [...s.state.pos.subarray(s.state.posStart[node]!, s.state.posStart[node + 1]!)]
  }

  private point(): void {
    if (this.pointer === undefined) return
    const hit = this.pointer ? this.pick(this.pointer.x, this.pointer.y) : null
    this.pointer = undefined
    const node = hit && 'node' in hit ? hit.node : -1
    if (node === this.hovered) return
    this.hovered = node
    this.stage.surface.style.cursor = hit ? 'pointer' : ''
    this.stale.live = true
    this.options.onHover?.(hit)
  }

  private key(e: KeyboardEvent): boolean {
    const s = this.scene
    if (!s || s.ring.length === 0) return false
    const direction = arrowDirection(e.key)
    if (direction) {
      const at = nextPosition(
        s.ring,
        this.positionsOf(this.selected),
        this.position,
        this.selected,
        direction,
      )
      if (at < 0) return false
      this.position = at
      this.options.onStep?.(s.ring.owner[at]!)
      return true
    }
    if (e.key !== 'Enter' || this.selected < 0) return false
    this.options.onPick?.({ node: this.selected }, s.g.at(this.position), 'keyboard')
    return true
  }
}
