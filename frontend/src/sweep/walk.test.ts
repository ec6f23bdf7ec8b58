import { expect, it } from 'vitest'
import { isWalkKey, walk } from './walk'
import type { Stop } from './walk'

const stop = (run: number, x: number, y: number, s = 0, f = 0): Stop => ({ run, x, y, s, f })
const stops = [
  stop(1, 8, 5),
  stop(2, 8, 7),
  stop(3, 8, 7),
  stop(4, 16, 4),
  stop(5, 16, 6.8),
  stop(6, 8, 6, 1),
  stop(7, 30, 1, 1),
  stop(8, 8, 2, 0, 1),
]

it.each([
  [null, 'ArrowRight', 3],
  [1, 'ArrowUp', 2],
  [2, 'ArrowUp', 3],
  [3, 'ArrowUp', 3],
  [2, 'ArrowDown', 1],
  [1, 'ArrowDown', 1],
  [2, 'ArrowRight', 5],
  [5, 'ArrowLeft', 2],
  [5, 'ArrowRight', null],
  [1, 'PageDown', 6],
  [6, 'PageUp', 1],
  [6, 'ArrowRight', 7],
  [7, 'PageDown', 8],
  [3, 'Home', 1],
  [1, 'End', 3],
] as const)('from run %s, %s leads to %s', (from, key, to) => expect(walk(stops, from, key)).toBe(to))

it('without runs there is nowhere to go', () => expect(walk([], null, 'End')).toBeNull())

it('knows its keys', () => expect(['Home', 'Enter', 'a'].map(isWalkKey)).toEqual([true, false, false]))
