import { describe, expect, it } from 'vitest'
import { createState } from './model'
import { carryOver, toWorld } from './world'

describe('a world', () => {
  it('has its links in two columns', () => {
    const world = toWorld({
      type: 'world',
      epoch: 3,
      ids: ['a', 'b', 'c'],
      names: ['A', 'B', 'C'],
      x: [0, 1, 2],
      y: [0, 0, 0],
      links: [0, 1, 1, 2],
      root: 1,
      channels: ['c'],
      components: [3],
      quality: [0.5, 0.25, 0, 1],
    })
    expect([world.n, world.m]).toEqual([3, 2])
    expect([...(world.quality ?? [])]).toEqual([0.5, 0.25, 0, 1])
    expect([...world.from]).toEqual([0, 1])
    expect([...world.to]).toEqual([1, 2])
  })
})

describe('the state of a world that changes', () => {
  const before = createState(2, 1)
  before.depth.set([0, 1])
  before.link.set([15])
  before.posStart.set([0, 1, 3])
  before.pos = Int32Array.of(0, 1, 2)

  it('keeps what was known when a node joins', () => {
    const state = carryOver(before, 3, 2)
    expect([...state.depth]).toEqual([0, 1, 0])
    expect([...state.link]).toEqual([15, 3])
    expect([...state.posStart]).toEqual([0, 1, 3, 3])
    expect([...state.pos]).toEqual([0, 1, 2])
  })

  it('forgets what is gone', () => {
    const state = carryOver(before, 1, 0)
    expect([...state.depth]).toEqual([0])
    expect([...state.posStart]).toEqual([0, 1])
    expect([...state.pos]).toEqual([0])
  })
})
