import { describe, expect, it } from 'vitest'
import { nextPosition } from './walk'
import type { Ring } from './model'

const ring = (...owner: number[]): Ring => ({
  part: 0,
  length: owner.length,
  owner: Int32Array.from(owner),
  members: 3,
  placed: 3,
  closed: true,
  deepest: 2,
})

describe('walking along the ring', () => {
  it('goes to the next position of another node, around the end', () => {
    const r = ring(0, 1, 2, 1)
    expect(nextPosition(r, [1, 3], 1, 1, 'right')).toBe(2)
    expect(nextPosition(r, [1, 3], 3, 1, 'right')).toBe(0)
    expect(nextPosition(r, [0], 0, 0, 'left')).toBe(3)
  })

  it('starts at the first own position and skips empty ones', () => {
    expect(nextPosition(ring(0, -1, -1, 2), [0], 9, 0, 'right')).toBe(3)
  })

  it('stays on a ring of one', () => {
    expect(nextPosition(ring(0), [0], 0, 0, 'right')).toBe(-1)
  })
})
