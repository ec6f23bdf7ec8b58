import { describe, expect, it } from 'vitest'
import { distanceToSegment, Grid } from './grid'

/** Points that are spread unevenly and always the same. */
function points(n: number): { x: Float32Array; y: Float32Array } {
  const x = Float32Array.from({ length: n }, (_, i) => 100 * Math.abs(Math.sin(i * 12.9898)) ** 2)
  const y = Float32Array.from({ length: n }, (_, i) => 40 * Math.abs(Math.cos(i * 78.233)))
  return { x, y }
}

describe('the grid', () => {
  const { x, y } = points(400)
  const grid = new Grid(x, y, 400)

  it('finds the same nearest point as looking at all of them', () => {
    for (let q = 0; q < 200; q++) {
      const [px, py] = [(q * 7.3) % 110, (q * 3.1) % 45]
      const reach = 1 + (q % 6)
      let best = -1
      let least = reach
      x.forEach((_, i) => {
        const d = Math.hypot(x[i]! - px, y[i]! - py)
        if (d <= least) [least, best] = [d, i]
      })
      const found = grid.nearest(px, py, reach)
      if (best < 0) expect(found).toBe(-1)
      else expect(Math.hypot(x[found]! - px, y[found]! - py)).toBeCloseTo(least)
    }
  })

  it('measures reach in a stretched scale', () => {
    const g = new Grid([0, 10], [0, 0], 2)
    expect(g.nearest(4, 0, 9, 2, 2)).toBe(0)
    expect(g.nearest(4, 0, 7, 2, 2)).toBe(-1)
  })

  it('visits everything in a rectangle', () => {
    const seen = new Set<number>()
    grid.within(20, 10, 60, 30, (i) => seen.add(i))
    x.forEach((_, i) => {
      if (x[i]! >= 20 && x[i]! <= 60 && y[i]! >= 10 && y[i]! <= 30) expect(seen.has(i)).toBe(true)
    })
  })

  it('copes with no points, one point, and all in one place', () => {
    expect(new Grid([], [], 0).nearest(0, 0, 5)).toBe(-1)
    expect(new Grid([3], [4], 1).nearest(3, 5, 2)).toBe(0)
    expect(new Grid([1, 1, 1], [1, 1, 1], 3).nearest(1, 1, 1)).toBeGreaterThanOrEqual(0)
  })
})

describe('distance to a segment', () => {
  it('is to the nearest point of it, ends included', () => {
    expect(distanceToSegment(5, 3, 0, 0, 10, 0)).toBe(3)
    expect(distanceToSegment(-3, 4, 0, 0, 10, 0)).toBe(5)
    expect(distanceToSegment(3, 4, 0, 0, 0, 0)).toBe(5)
  })
})
