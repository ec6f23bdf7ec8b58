import { describe, expect, it } from 'vitest'
import type { Model } from './frames'
import { FLAG, createCurves, createFlights, createState, pushSample } from './model'
import { Stopwatch } from './stopwatch'
import { summarise } from './summary'

function model(): Model {
  const curves = createCurves(['tree', 'ring'])
  pushSample(curves, 1, [2, 0])
  curves.since[1] = 0.5
  const state = createState(4, 0)
  state.t = 1
  state.flags.set([FLAG.alive | FLAG.root, FLAG.alive | FLAG.subscriber, FLAG.alive | FLAG.wrong(0), 0])
  state.parent.set([-1, 0, -1, -1])
  state.root.set([0, 0, 2, -1])
  state.part.set([0, 0, 1, -1])
  state.ringLength.fill(2)
  const nothing = new Float32Array(4)
  const world = {
    epoch: 0,
    n: 4,
    m: 0,
    ids: ['a', 'b', 'c', 'd'],
    names: ['a', 'b', 'c', 'd'],
    x: nothing,
    y: nothing,
  }
  return {
    world: {
      ...world,
      from: new Uint32Array(),
      to: new Uint32Array(),
      root: 0,
      channels: ['c'],
      quality: null,
    },
    state,
    flights: createFlights(1),
    curves,
    columns: [],
    frame: 0,
  }
}

describe('a summary', () => {
  it('counts nodes, and what is wrong in every part', () => {
    const since: (number | null)[] = []
    const s = summarise(model(), [{ name: 'tree', title: 'Tree' }], since, new Stopwatch().read())
    expect(s).toMatchObject({ alive: 3, joined: 3, subscribers: 1, wrong: 1, ringLength: 2 })
    expect(s.parts).toEqual([
      { size: 2, wrong: 0, since: 1 },
      { size: 1, wrong: 1, since: null },
    ])
    expect(s.layers).toEqual([
      { name: 'tree', title: 'Tree', wrong: 2, since: null },
      { name: 'ring', title: 'ring', wrong: 0, since: 0.5 },
    ])
  })

  it('remembers since when a part is well, and forgets parts that are gone', () => {
    const m = model()
    const since: (number | null)[] = []
    const watch = new Stopwatch().read()
    summarise(m, [], since, watch)
    m.state.t = 7
    expect(summarise(m, [], since, watch).parts[0]?.since).toBe(1)
    m.state.part.fill(0)
    expect(summarise(m, [], since, watch).parts).toEqual([{ size: 3, wrong: 1, since: null }])
    expect(since).toEqual([null])
  })
})
