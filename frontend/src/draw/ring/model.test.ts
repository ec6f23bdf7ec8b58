import { describe, expect, it } from 'vitest'
import { createState, FLAG, LINK, type State, type World } from '../../model'
import { RingGeometry } from './geometry'
import { partsOf, ringOf, runs, shortcuts, tickStep } from './model'
import { groupPositions } from './traffic'

/** The worked example of PSVR, Fig. 1: r e c a c e d b d e, ten positions. */
const TOUR = ['r', 'e', 'c', 'a', 'c', 'e', 'd', 'b', 'd', 'e']
const IDS = ['r', 'e', 'c', 'a', 'd', 'b']
const LINKS = [
  [0, 1],
  [1, 2],
  [2, 3],
  [1, 4],
  [4, 5],
  [2, 4],
] as const

const world: World = {
  epoch: 1,
  n: 6,
  m: 6,
  ids: IDS,
  names: IDS,
  x: new Float32Array(6),
  y: new Float32Array(6),
  from: Uint32Array.from(LINKS, (l) => l[0]),
  to: Uint32Array.from(LINKS, (l) => l[1]),
  root: 0,
  channels: [],
  quality: null,
}

function place(s: State, positions: readonly (readonly number[])[]): State {
  s.pos = Int32Array.from(positions.flat())
  positions.forEach((own, v) => (s.posStart[v + 1] = s.posStart[v]! + own.length))
  return s
}

function example(): State {
  const s = createState(6, 6)
  s.parent.set([-1, 0, 1, 2, 1, 4])
  s.depth.set([0, 1, 2, 3, 2, 3])
  s.ringLength.fill(10)
  s.flags[0]! |= FLAG.root
  s.link.fill(LINK.forth | LINK.back | LINK.acceptedForth | LINK.acceptedBack)
  return place(
    s,
    IDS.map((id) => TOUR.flatMap((v, p) => (v === id ? [p] : []))),
  )
}

describe('the ring', () => {
  it('is closed when every position is taken once', () => {
    const ring = ringOf(example(), 0)
    expect(ring.length).toBe(10)
    expect([...ring.owner].map((v) => IDS[v]).join('')).toBe(TOUR.join(''))
    expect([ring.closed, ring.placed, ring.members, ring.deepest]).toEqual([true, 6, 6, 3])
  })

  it('is unfinished while nodes lack positions', () => {
    const s = place(example(), [[0], [1, 5, 9], [], [], [], []])
    const ring = ringOf(s, 0)
    expect([ring.closed, ring.placed, ring.members, ring.length]).toEqual([false, 2, 6, 10])
    expect(ring.owner[2]).toBe(-1)
  })

  it('is as long as it will be while nobody has a position', () => {
    const s = place(createState(3, 0), [[], [], []])
    expect(ringOf(s, 0)).toMatchObject({ length: 4, placed: 0, members: 3, closed: false })
  })

  it('fills up while it grows from the root', () => {
    const s = place(example(), [[0], [1], [], [], [], []])
    s.ringLength[0] = 2
    const ring = ringOf(s, 0)
    expect([ring.length, ring.placed]).toEqual([10, 2])
    expect([...ring.owner]).toEqual([0, 1, -1, -1, -1, -1, -1, -1, -1, -1])
  })

  it('does not believe a corrupted root that it is endless', () => {
    const s = example()
    s.ringLength[0] = 2_000_000_000
    expect(ringOf(s, 0).length).toBe(10)
  })

  it('is not there while everybody believes to be the root', () => {
    const s = place(
      example(),
      IDS.map(() => [0]),
    )
    for (let v = 0; v < 6; v++) s.flags[v]! |= FLAG.root | FLAG.wrong(1)
    s.ringLength.fill(1)
    expect(ringOf(s, 0)).toMatchObject({ length: 10, placed: 1, members: 6, closed: false })
  })

  it('lets those who are right overrule those who are wrong', () => {
    const s = place(example(), [[0], [1, 5, 9], [2, 4], [3, 6], [6, 8], [7]])
    s.flags[3]! |= FLAG.wrong(2)
    const ring = ringOf(s, 0)
    expect(ring.owner[6]).toBe(4)
    expect(ring.closed).toBe(false)
  })

  it('is one per part, without the failed', () => {
    const s = example()
    s.flags[4] = 0
    s.part.set([0, 0, 0, 0, -1, 1])
    s.flags[5]! |= FLAG.root
    s.ringLength[5] = 1
    expect(partsOf(s)).toEqual([
      { part: 0, size: 4, root: 0 },
      { part: 1, size: 1, root: 5 },
    ])
    expect(ringOf(s, 1)).toMatchObject({ members: 1, length: 1 })
  })

  it('has a shortcut for the one link that is not in the tree', () => {
    const s = example()
    const ring = ringOf(s, 0)
    expect([...shortcuts(world, s, ring)]).toEqual([2, 6])
    s.link[5] = LINK.forth | LINK.back
    expect([...shortcuts(world, s, ring)]).toEqual([])
  })
})

describe('runs of positions', () => {
  const of = (text: string, gap?: number): [number, number][] =>
    runs(text.length, (p) => text[p] === 'x', gap)

  it('bridge small gaps and leave single positions out', () => {
    expect(of('.xx..x.....x..')).toEqual([[1, 5]])
    expect(of('xx...xx', 2)).toEqual([
      [0, 1],
      [5, 6],
    ])
  })

  it('may be everything or nothing', () => {
    expect(of('xxxx')).toEqual([[0, 3]])
    expect(of('....')).toEqual([])
  })
})

describe('numbers on the ring', () => {
  it.each([
    [10, 1],
    [60, 10],
    [418, 50],
    [3366, 500],
    [20_000, 5000],
  ])('of %i positions stand every %i', (length, step) => expect(tickStep(length)).toBe(step))
})

describe('where positions lie', () => {
  const g = new RingGeometry(404, 570, { top: 44, right: 0, bottom: 44, left: 0 }, 418, 9, 210)

  it('position 0 is at the top, counting clockwise', () => {
    expect(g.at(0).y).toBeLessThan(g.cy)
    expect(g.at(0).x).toBeCloseTo(g.cx)
    expect(g.at(418 / 4).x).toBeGreaterThan(g.cx)
  })

  it('every position is found again where it is drawn', () => {
    for (let p = 0; p < 418; p++) {
      const at = g.at(p, g.radius + 10)
      expect(g.positionAt(at.x, at.y, 14, 44)).toBe(p)
    }
  })

  it('the middle is no position', () => {
    expect(g.positionAt(g.cx, g.cy, 14, 44)).toBe(-1)
  })

  it('everything stays inside the picture, numbers included', () => {
    expect(g.cx + g.radius + g.hop * 9 + 12 + 18).toBeLessThanOrEqual(404)
  })

  it('neighbouring positions share a label', () => {
    expect(groupPositions(g, [192, 160, 162, 200])).toEqual([
      [160, 162],
      [192, 200],
    ])
  })
})
