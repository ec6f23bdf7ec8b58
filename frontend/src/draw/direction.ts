/** Walking over a picture with the arrow keys. */
import type { Direction } from './types'

const HEADING: Record<Direction, number> = { right: 0, down: Math.PI / 2, left: Math.PI, up: -Math.PI / 2 }

/** The point that lies from `at` in a direction: near ones before those straight ahead; -1 when there is none. */
export function neighbourInDirection(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  at: number,
  direction: Direction,
  eligible: (i: number) => boolean = () => true,
): number {
  let best = -1
  let least = Infinity
  for (let i = 0; i < x.length; i++) {
    if (i === at || !eligible(i)) continue
    const dx = x[i]! - x[at]!
    const dy = y[i]! - y[at]!
    if (dx === 0 && dy === 0) continue
    const turn = Math.atan2(dy, dx) - HEADING[direction]
    const off = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)))
    if (off > 1.05) continue
    const cost = Math.hypot(dx, dy) * (1 + 2.2 * off * off)
    if (cost < least) {
      least = cost
      best = i
    }
  }
  return best
}

export function arrowDirection(key: string): Direction | null {
  switch (key) {
    case 'ArrowLeft':
      return 'left'
    case 'ArrowRight':
      return 'right'
    case 'ArrowUp':
      return 'up'
    case 'ArrowDown':
      return 'down'
    default:
      return null
  }
}
