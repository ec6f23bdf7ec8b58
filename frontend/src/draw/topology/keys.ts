/** The keyboard over the network: arrows step from node to node, with shift they pan; + - 0 zoom; Enter picks. */
import { arrowDirection } from '../direction'
import type { Direction } from '../types'

export interface KeyTarget {
  step(direction: Direction): boolean
  pan(dx: number, dy: number): void
  zoomBy(factor: number): void
  fit(): void
  pickSelected(): boolean
}

const PAN: Record<Direction, [number, number]> = {
  left: [60, 0],
  right: [-60, 0],
  up: [0, 60],
  down: [0, -60],
}

/** True when the key meant something here. */
export function pressKey(e: KeyboardEvent, target: KeyTarget): boolean {
  const direction = arrowDirection(e.key)
  if (direction) {
    if (!e.shiftKey) return target.step(direction)
    target.pan(...PAN[direction])
    return true
  }
  switch (e.key) {
    case '+':
    case '=':
      target.zoomBy(1.4)
      return true
    case '-':
      target.zoomBy(1 / 1.4)
      return true
    case '0':
      target.fit()
      return true
    case 'Enter':
      return target.pickSelected()
    default:
      return false
  }
}
