/** Finding positions with the pointer, and walking from one to the next with the keyboard. */
import type { Direction } from '../types'
import type { Ring } from './model'
import type { RingScene } from './scene'

/** Spokes and numbers outside the circle belong to their position. */
const OUTSIDE = 44

/** The position at (x, y) that somebody has, or -1; `slack`: how far inside the circle still counts, px. */
export function positionNear({ ring, g }: RingScene, x: number, y: number, slack: number): number {
  const p = g.positionAt(x, y, slack, OUTSIDE)
  if (p < 0) return -1
  // Where positions are narrower than a pixel, or nobody is at one yet: the nearest that is taken.
  for (let d = 0; d <= Math.max(1, slack / 2 / g.pitch); d++)
    for (const q of [p + d, p - d]) {
      const at = (q + ring.length) % ring.length
      if (ring.owner[at] !== undefined && ring.owner[at] >= 0) return at
    }
  return -1
}

/** The following (right, down) or previous position that is another node's, from `at` if that is one's own; -1: none. */
export function nextPosition(
  ring: Ring,
  own: readonly number[],
  at: number,
  node: number,
  direction: Direction,
): number {
  const step = direction === 'right' || direction === 'down' ? 1 : -1
  let p = own.includes(at) ? at : (own[0] ?? 0)
  for (let i = 0; i < ring.length; i++) {
    p = (p + step + ring.length) % ring.length
    const owner = ring.owner[p]!
    if (owner >= 0 && owner !== node) return p
  }
  return -1
}
