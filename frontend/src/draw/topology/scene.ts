/** What all layers of the topology paint from: the network, its state, and where everything lies on screen. */
import { FLAG, type State, type World } from '../../model'
import type { Camera } from '../camera'
import { glyph, type Glyph } from '../glyphs'
import type { Layout } from '../layout'
import type { Theme } from '../theme'

export interface Scene {
  world: World
  state: State
  camera: Camera
  layout: Layout
  theme: Theme
  /** Radius of a plain node, px. */
  r: number
  /** Screen position of every node. */
  sx: Float32Array
  sy: Float32Array
  /** How each node is drawn: an index into LOOKS. */
  look: Uint8Array
  /** Nodes in each node's subtree. */
  subtree: Int32Array
  /** LinkKind of every link. */
  kind: Uint8Array
  /** 1: in the region that is healing. */
  region: Uint8Array
  /** Failed nodes, the latest first. */
  failed: number[]
}

export function createScene(world: World, state: State, camera: Camera, layout: Layout, theme: Theme): Scene {
  const { n, m } = world
  return {
    world,
    state,
    camera,
    layout,
    theme,
    r: 3,
    sx: new Float32Array(n),
    sy: new Float32Array(n),
    look: new Uint8Array(n),
    subtree: new Int32Array(n),
    kind: new Uint8Array(m),
    region: new Uint8Array(n),
    failed: [],
  }
}

/** Puts everything where the camera sees it now. */
export function project(scene: Scene): void {
  const { camera, layout, sx, sy, world } = scene
  for (let v = 0; v < world.n; v++) {
    sx[v] = camera.screenX(layout.x[v]!)
    sy[v] = camera.screenY(layout.y[v]!)
  }
  scene.r = nodeRadius(layout.spacing * camera.scale * Math.sqrt(camera.ax * camera.ay))
}

interface Look {
  glyph: Glyph
  /** Share of the plain radius. */
  size: number
  /** What lies on top: specials above plain nodes. */
  rank: number
}

/** Every way a node can look, from what lies lowest to what lies on top. */
export const LOOKS: readonly Look[] = [
  { glyph: 'forwards', size: 0.72, rank: 0 },
  { glyph: 'forwards', size: 0.92, rank: 0 },
  { glyph: 'subscriber', size: 1, rank: 1 },
  { glyph: 'wrong', size: 1, rank: 1 },
  { glyph: 'wrong-subscriber', size: 1, rank: 2 },
  { glyph: 'corrupted', size: 1, rank: 2 },
  { glyph: 'publisher', size: 0.74, rank: 2 },
  { glyph: 'delivered', size: 1, rank: 3 },
  { glyph: 'wrong-delivered', size: 1, rank: 3 },
  { glyph: 'root', size: 1, rank: 4 },
  { glyph: 'wrong-root', size: 1, rank: 4 },
  { glyph: 'publisher', size: 1, rank: 5 },
  { glyph: 'failed', size: 1, rank: 5 },
]

export const LOOK = {
  leaf: 0,
  inner: 1,
  subscriber: 2,
  wrong: 3,
  wrongSubscriber: 4,
  corrupted: 5,
  publishedBefore: 6,
  delivered: 7,
  wrongDelivered: 8,
  root: 9,
  wrongRoot: 10,
  publisher: 11,
  failed: 12,
} as const

/** What is known of a node beyond its flags. */
export interface Standing {
  /** The one root of its part; while several nodes believe to be it, none is. */
  root: boolean
  publisher: boolean
  delivered: boolean
  /** Has children in the tree. */
  inner: boolean
}

/** How a node looks: the most telling thing about it wins. */
export function lookOf(flags: number, { root, publisher, delivered, inner }: Standing): number {
  if (!(flags & FLAG.alive)) return LOOK.failed
  if (flags & FLAG.corrupted) return LOOK.corrupted
  const wrong = (flags & FLAG.anyWrong) !== 0
  if (root) return wrong ? LOOK.wrongRoot : LOOK.root
  if (publisher) return LOOK.publisher
  if (delivered) return wrong ? LOOK.wrongDelivered : LOOK.delivered
  if (wrong) return flags & FLAG.subscriber ? LOOK.wrongSubscriber : LOOK.wrong
  if (flags & FLAG.subscriber) return LOOK.subscriber
  if (flags & FLAG.publisher) return LOOK.publishedBefore
  return inner ? LOOK.inner : LOOK.leaf
}

/** Radius of a plain node for a typical distance between neighbours (both px): glyphs grow more slowly than space. */
export function nodeRadius(spacing: number): number {
  const raw = spacing * 0.095
  if (raw > 4.6) return Math.min(18, 4.6 * (raw / 4.6) ** 0.7)
  return Math.max(raw, Math.min(2.3, spacing * 0.16), 1.1)
}

/** Below this radius nodes are dots of a few pixels. */
export const DOTS = 1.6

/** How far a node's glyph reaches from its centre, px, strokes included. */
export function reach(look: number, r: number): number {
  const l = LOOKS[look]!
  switch (l.glyph) {
    case 'failed':
      return Math.max(r * 2.7, Math.min(8, 3 + r * 2)) + 1.5
    case 'delivered':
    case 'wrong-delivered':
    case 'publisher':
    case 'corrupted':
      return r * l.size * 2.1 + 4
    case 'root':
    case 'wrong-root':
      return (r + 4) * 1.42
    case 'forwards':
      return r * sizeOf(look, r) + 2
    case 'subscriber':
      return r * 1.35 + 2
    default:
      return r * l.size * 1.9 + 2
  }
}

/** Share of the plain radius; where nodes are large enough for names, leaves need the room as well. */
function sizeOf(look: number, r: number): number {
  const { size } = LOOKS[look]!
  return look === LOOK.leaf ? Math.min(LOOKS[LOOK.inner]!.size, size + Math.max(0, r - 6) * 0.08) : size
}

export const partsOf = (look: number, r: number): ReturnType<typeof glyph> => {
  const l = LOOKS[look]!
  return glyph(l.glyph, r * sizeOf(look, r))
}
