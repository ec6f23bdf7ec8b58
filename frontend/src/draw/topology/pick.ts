/** What is under a point of the network. */
import { FLAG } from '../../model'
import { distanceToSegment, type Grid } from '../grid'
import type { Hit, Via } from '../types'
import type { Scene } from './scene'

/** The node near (x, y), else the link; fingers may miss by more than a mouse. */
export function pickAt(scene: Scene, grid: Grid, x: number, y: number, via: Via): Hit | null {
  const { camera } = scene
  const at = camera.worldAt(x, y)
  const reach = via === 'touch' ? 22 : Math.max(9, scene.r + 5)
  const node = grid.nearest(at.x, at.y, reach, camera.scale * camera.ax, camera.scale * camera.ay)
  if (node >= 0) return { node }
  const link = nearestLink(scene, x, y, via === 'touch' ? 14 : 5)
  return link >= 0 ? { link } : null
}

function nearestLink({ world, sx, sy }: Scene, x: number, y: number, reach: number): number {
  let best = -1
  let least = reach
  for (let k = 0; k < world.m; k++) {
    const a = world.from[k]!
    const b = world.to[k]!
    const d = distanceToSegment(x, y, sx[a]!, sy[a]!, sx[b]!, sy[b]!)
    if (d < least) [least, best] = [d, k]
  }
  return best
}

/** The living node nearest to the middle of the picture, where the keyboard starts. */
export function centremost({ camera, state, world, sx, sy }: Scene): number {
  let best = -1
  let least = Infinity
  for (let v = 0; v < world.n; v++) {
    if (!(state.flags[v]! & FLAG.alive)) continue
    const d = Math.hypot(sx[v]! - camera.width / 2, sy[v]! - camera.height / 2)
    if (d < least) [least, best] = [d, v]
  }
  return best
}
