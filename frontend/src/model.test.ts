import { describe, expect, it } from 'vitest'
import {
  clearFlights,
  createCurves,
  createFlights,
  flightSlot,
  markLost,
  pushFlight,
  pushLoss,
  pushSample,
} from './model'
import { DROP_REASONS } from './wire.gen'

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

  it('notes a loss at whom it did not reach, and marks what was in the air', () => {
    const f = createFlights(8)
    const k = push(f, 1)
    pushLoss(f, 1.5, 0, 1, 2, 4)
    const l = f.losses
    expect(f.lost[k]).toBe(1)
    expect([l.node[0], l.from[0], l.pos[0], l.reason[0]]).toEqual([1, 0, 11, 4])
  })

  it('notes once, at the sender, what was given up because the channel was busy', () => {
    const f = createFlights(8)
    for (const to of [1, 2, 3]) pushLoss(f, 3, 5, to, 2, DROP_REASONS.indexOf('busy'))
    expect([f.losses.size, f.losses.node[0], f.losses.pos[0]]).toEqual([1, 5, -1])
  })

  it('forgets all', () => {
    const f = createFlights(2)
    push(f, 1)
    pushLoss(f, 1.5, 0, 1, 2, 4)
    clearFlights(f)
    expect([f.size, f.head, f.losses.size]).toEqual([0, 0, 0])
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
