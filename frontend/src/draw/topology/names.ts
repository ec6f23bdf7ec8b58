/** Which nodes are named: the selected and hovered one, the root, the publisher, and those that failed. */
import { LOOK, type Scene } from './scene'

export interface Name {
  node: number
  /** Ordinary text after the name: "root", "failed". */
  caption: string
  size: number
  weight: number
}

export interface Focus {
  /** -1: none. */
  node: number
  link: number
  hoveredNode: number
  hoveredLink: number
  publisher: number
}

/** Below this width only what somebody points at, and what failed, is named. */
const NARROW = 480

export function namesToShow(scene: Scene, focus: Focus): Name[] {
  const { look, world, r, camera, failed } = scene
  const names = new Map<number, Name>()
  const add = (node: number, size = 12, weight = 600): void => {
    if (node < 0 || names.has(node)) return
    const caption = captionOf(scene, node, focus)
    if (caption || !namedInside(scene, node)) names.set(node, { node, caption, size, weight })
  }
  add(focus.node, 13, 700)
  add(focus.hoveredNode)
  for (const link of [focus.link, focus.hoveredLink])
    if (link >= 0) for (const ends of [world.from, world.to]) add(ends[link]!)
  for (const v of failed.slice(0, 5)) add(v, 12, 700)
  if (camera.width >= NARROW) {
    let roots = 0
    for (let v = 0; v < world.n && roots < 4; v++)
      if (isRoot(look[v]!)) {
        add(v)
        roots++
      }
    add(focus.publisher)
  }
  // In a network as small as a worked example every name fits, and is needed to follow it.
  if (world.n <= 40 && r >= 6) for (let v = 0; v < world.n; v++) add(v, 12, 500)
  return [...names.values()]
}

const isRoot = (look: number): boolean => look === LOOK.root || look === LOOK.wrongRoot

function captionOf({ look }: Scene, node: number, focus: Focus): string {
  if (look[node] === LOOK.failed) return 'failed'
  if (isRoot(look[node]!)) return 'root'
  return node === focus.publisher ? 'publishes' : ''
}

/** Whether a node's name is short, and its circle large, enough for the name to stand inside. */
export function namedInside({ world, look, r }: Scene, v: number): boolean {
  const plain = look[v]! <= LOOK.subscriber || look[v] === LOOK.delivered
  return plain && r >= 8.5 && (world.names[v]?.length ?? 9) <= 2
}
