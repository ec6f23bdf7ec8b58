/** A network that stands still, painted once onto one canvas: no gestures, no time. */
import { FLAG, LINK, createState, type State, type World } from '../model'
import { Camera } from './camera'
import { Layout } from './layout'
import { Paths } from './paths'
import { mix, type Theme } from './theme'
import { absorbState, noChanges } from './topology/changes'
import { paintLinks } from './topology/links'
import { paintNodes } from './topology/nodes'
import { createScene, project } from './topology/scene'
import type { Padding } from './types'

export interface Still {
  /** y grows downwards. */
  x: readonly number[]
  y: readonly number[]
  /** Both ends of each link in turn. */
  links: readonly number[]
  /** In the tree, -1: none; null: no tree is drawn. */
  parent: readonly number[] | null
  roots: readonly number[]
}

const ACCEPTED = LINK.forth | LINK.back | LINK.acceptedForth | LINK.acceptedBack
const MARGIN = 12
const EDGE: Padding = { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN }

/** Where lines lie this close, links step back; beside a tree further, whose twigs do not. */
function quiet(theme: Theme, tree: boolean): Theme {
  const { color } = theme
  const chord = mix(color.chord, color.paper, tree ? 0.45 : 0.2)
  return { ...theme, color: { ...color, chord, twig: mix(color.tree, color.paper, 0.14) } }
}

/** The columns that the layers of the large picture paint from. */
export function columnsOf({ x, y, links, parent, roots }: Still): { world: World; state: State } {
  const [n, m] = [x.length, links.length / 2]
  const world: World = {
    epoch: 0,
    n,
    m,
    ids: [],
    names: [],
    x: Float32Array.from(x),
    y: Float32Array.from(y),
    from: Uint32Array.from({ length: m }, (_, k) => links[2 * k]!),
    to: Uint32Array.from({ length: m }, (_, k) => links[2 * k + 1]!),
    root: -1,
    channels: [],
    quality: null,
  }
  const state = createState(n, m)
  state.link.fill(ACCEPTED)
  if (parent) state.parent.set(parent)
  roots.forEach((v, part) => {
    state.flags[v]! |= FLAG.root
    state.part[v] = part // one of each part is its root; more would be a claim in dispute
  })
  return { world, state }
}

/** Paints the network as large as fits; `width` and `height` in CSS pixels. */
export function paintStill(
  canvas: HTMLCanvasElement,
  still: Still,
  { width, height, ratio }: { width: number; height: number; ratio: number },
  theme: Theme,
): void {
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const ctx = canvas.getContext('2d')
  if (!ctx) return
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
  const { world, state } = columnsOf(still)
  const [camera, layout] = [new Camera(), new Layout()]
  ;[camera.width, camera.height] = [width, height]
  layout.setWorld(world, 0, false)
  camera.fit(layout.box, EDGE)
  const scene = createScene(world, state, camera, layout, quiet(theme, still.parent !== null))
  absorbState(scene, state, new Paths(), noChanges())
  project(scene)
  const bounds = { left: 0, top: 0, right: width, bottom: height }
  paintLinks(ctx, scene, bounds)
  paintNodes(ctx, scene, bounds, null, true)
}
