import { describe, expect, it } from 'vitest'
import {
  clearFlights,
  createCurves,
  createFlights,
  flightSlot,
  markLost,
  pushFlight,
  pushSample,
} from './model'

describe('flights', () => {
  const push = (f: ReturnType<typeof createFlights>, start: number, from = 0, kind = 2): number =>
    pushFlight(f, start, 0.5, from, 1, 10, 11, 7, kind)

  it('keeps the latest when full, oldest first', () => {
    const f = createFlights(3)
    for (const t of [1, 2, 3, 4]) push(f, t)
    expect(f.size).toBe(3)
    expect([0, 1, 2].map((i) => f.start[flightSlot(f, i)])).toEqual([2, 3, 4])
  })

  it('writes every column and clears the mark of the slot it reuses', () => {
    const f = createFlights(1)
    f.lost[push(f, 1)] = 1
    const k = push(f, 2, 5)
    expect([f.from[k], f.to[k], f.fromPos[k], f.toPos[k], f.publication[k], f.kind[k], f.lost[k]]).toEqual([
      5, 1, 10, 11, 7, 2, 0,
    ])
  })

  it('marks the message that was in the air as lost, once', () => {
    const f = createFlights(4)
    const early = push(f, 1)
    const late = push(f, 1.4)
    expect(markLost(f, 1.3, 0, 1, 2)).toBe(early)
    expect(markLost(f, 1.3, 0, 1, 2)).toBe(-1)
    expect(markLost(f, 1.9, 0, 1, 2)).toBe(late)
  })

  it('does not take another kind or direction for it', () => {
    const f = createFlights(4)
    push(f, 1)
    expect(markLost(f, 1.2, 0, 1, 1)).toBe(-1)
    expect(markLost(f, 1.2, 1, 0, 2)).toBe(-1)
  })

  it('forgets all', () => {
    const f = createFlights(2)
    push(f, 1)
    clearFlights(f)
    expect([f.size, f.head]).toEqual([0, 0])
  })
})

describe('curves', () => {
  it('grow without losing samples', () => {
    const c = createCurves(['tree', 'ring'], 2)
    for (let i = 0; i < 9; i++) pushSample(c, i / 10, [i, 2 * i])
    expect(c.size).toBe(9)
    expect([...c.t.subarray(0, 9)]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => i / 10))
    expect([...c.wrong[1]!.subarray(0, 9)]).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16])
  })
})
