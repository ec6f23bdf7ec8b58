import { describe, expect, it } from 'vitest'
import { neighbourInDirection } from './direction'

describe('walking with the arrow keys', () => {
  //   2
  // 1 0 3 4
  //      5
  const x = [10, 5, 10, 15, 20, 17]
  const y = [10, 10, 5, 10, 10, 15]

  it('goes to the nearest node that way', () => {
    expect(neighbourInDirection(x, y, 0, 'left')).toBe(1)
    expect(neighbourInDirection(x, y, 0, 'up')).toBe(2)
    expect(neighbourInDirection(x, y, 0, 'right')).toBe(3)
  })

  it('takes one that is aside when none is straight ahead', () => {
    expect(neighbourInDirection(x, y, 3, 'down')).toBe(5)
  })

  it('stays when there is nothing that way', () => {
    expect(neighbourInDirection(x, y, 1, 'left')).toBe(-1)
  })

  it('skips what is not eligible', () => {
    expect(neighbourInDirection(x, y, 0, 'right', (i) => i !== 3)).toBe(4)
  })
})
