/**
 * The network's canvases, each repainted only when what it shows has changed. From the bottom: the ground with the
 * healing region and the links, trails, nodes, and on top messages, rings and names.
 */
import type { Flights, MessageKind } from '../../model'
import type { Box } from '../camera'
import type { Grid } from '../grid'
import { Heads } from '../heads'
import { Layer } from '../layer'
import type { Paths } from '../paths'
import type { Size } from '../stage'
import { paintBlob } from './blob'
import type { Changes } from './changes'
import { CrossFade } from './crossfade'
import { Labels, paintLink, paintRings } from './labels'
import { paintLinks } from './links'
import { namesToShow, type Focus } from './names'
import { paintNodes, repaintNodes } from './nodes'
import type { Scene } from './scene'
import { paintMessages, paintTrails } from './traffic'

const OVERSCAN = 64

export interface Moment {
  scene: Scene
  paths: Paths
  flights: Flights | null
  kinds: readonly MessageKind[]
  /** Virtual time, virtual seconds per second, and the clock on the wall (ms). */
  now: number
  speed: number
  wall: number
  /** The camera or a node has moved since the last frame. */
  moved: boolean
  /** Nothing has moved for a while. */
  settled: boolean
  /** Without motion. */
  still: boolean
  grid: Grid
  focus: Focus
  /** The keyboard is here. */
  focused: boolean
}

export class Painter {
  private readonly ground: CrossFade
  private readonly trails: Layer
  private readonly nodes: Layer
  private readonly top: Layer
  private readonly labels = new Labels()
  private readonly heads = new Heads()
  private stale = { ground: true, fade: false, nodes: true, trails: true, top: true, places: true }
  private changed: number[] = []
  private groundPainted = 0
  private last = { now: NaN, focused: false }

  constructor(surface: HTMLElement) {
    this.ground = new CrossFade(surface, 'links', { overscan: OVERSCAN, opaque: true })
    this.trails = new Layer(surface, 'trails')
    this.nodes = new Layer(surface, 'nodes', { overscan: OVERSCAN })
    this.top = new Layer(surface, 'messages')
  }

  /** True when the size is another. */
  resize({ width, height, ratio }: Size): boolean {
    return [this.ground, this.trails, this.nodes, this.top]
      .map((l) => l.resize(width, height, ratio))
      .includes(true)
  }

  /** Everything is different: a new world, size or theme. */
  everything(): void {
    this.stale = { ground: true, fade: false, nodes: true, trails: true, top: true, places: true }
    this.changed = []
  }

  /** Another node or link is looked at. */
  refocus(): void {
    this.stale.top = this.stale.places = true
  }

  /** Paths or deliveries are other ones. */
  retrace(): void {
    this.stale.trails = true
  }

  note(changes: Changes): void {
    for (const v of changes.nodes) this.changed.push(v)
    if (changes.links) this.stale.ground = this.stale.fade = true
    if (changes.region) this.stale.ground = true
    if (changes.names) this.refocus()
  }

  paint(m: Moment): void {
    if (m.scene.layout.moving) this.stale.ground = this.stale.nodes = true
    this.paintGround(m)
    this.paintTrails(m)
    this.paintNodes(m)
    this.paintTop(m)
    this.last = { now: m.now, focused: m.focused }
  }

  private paintGround({ scene, settled, still, wall }: Moment): void {
    const { ground, stale } = this
    // A state arrives many times a second; what is dear to paint must leave time for everything else.
    const due = !ground.fading(wall) && wall - this.groundPainted > ground.cost * 5
    if (!ground.follow(scene.camera, settled) && !(stale.ground && due)) return
    const draw = (ctx: CanvasRenderingContext2D): void => {
      const { left, top, right, bottom } = ground.bounds
      ctx.fillStyle = scene.theme.color.paper
      ctx.fillRect(left, top, right - left, bottom - top)
      paintBlob(ctx, scene)
      paintLinks(ctx, scene, ground.bounds)
    }
    ground.repaint(scene.camera, draw, stale.fade && settled && !still, wall)
    this.groundPainted = wall
    stale.ground = stale.fade = false
  }

  private paintTrails({ scene, paths, now, moved, still }: Moment): void {
    const growing = now !== this.last.now && this.last.now <= paths.lastArrival
    if (!this.stale.trails && !moved && !growing) return
    this.stale.trails = false
    const any = paths.path.length > 0 || paths.older.length > 0
    this.trails.show(any)
    if (any) this.trails.repaint(scene.camera, (ctx) => paintTrails(ctx, scene, paths, now, still))
  }

  private paintNodes({ scene, settled, grid }: Moment): void {
    const { nodes, stale, changed } = this
    if (nodes.follow(scene.camera, settled) || stale.nodes || changed.length > scene.world.n / 8) {
      nodes.repaint(scene.camera, (ctx) => paintNodes(ctx, scene, nodes.bounds, null, settled))
      // Once at rest they are painted again, on whole pixels.
      stale.nodes = !settled
    } else if (changed.length && nodes.inPlace(scene.camera))
      repaintNodes(nodes.begin(true), scene, grid, nodes.bounds, changed)
    else return
    this.changed = []
  }

  private paintTop(m: Moment): void {
    const { scene, flights, paths, now } = m
    const { stale, heads, top } = this
    if (m.focused !== this.last.focused) stale.top = true
    const busy =
      now !== this.last.now &&
      flights !== null &&
      (flights.size > 0 || flights.losses.size > 0 || heads.count > 0)
    if (!busy && !stale.top && !m.moved && !(stale.places && m.settled)) return
    top.repaint(scene.camera, (ctx) => {
      const { focus } = m
      if (focus.hoveredLink >= 0) paintLink(ctx, scene, focus.hoveredLink, false)
      if (focus.link >= 0) paintLink(ctx, scene, focus.link, true)
      if (flights) paintMessages(ctx, scene, heads, flights, m.kinds, now, m.speed, paths.longest, m.still)
      paintRings(ctx, scene, focus.hoveredNode, focus.node, m.focused)
      this.labels.paint(ctx, scene, namesToShow(scene, focus), m.grid, paths.path, stale.places && m.settled)
    })
    stale.top = false
    stale.places = m.moved || (stale.places && !m.settled)
  }

  /** Where the page covers the picture, px: names keep away from there. */
  cover(boxes: readonly Box[]): void {
    this.labels.covered = boxes
    this.refocus()
  }

  /** Names look for new places, in another network. */
  replaceNames(): void {
    this.labels.replace()
  }
}
