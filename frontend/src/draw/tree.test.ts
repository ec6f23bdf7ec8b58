import { describe, expect, it } from 'vitest'
import { createState, FLAG, LINK, type World } from '../model'
import { healingRegion, LinkKind, linkKind, subtreeSizes } from './tree'

describe('subtree sizes', () => {
  it('count a node and all below it', () => {
    //      0
    //    1   2
    //  3 4
    expect([...subtreeSizes(Int32Array.from([-1, 0, 0, 1, 1]))]).toEqual([5, 3, 1, 1, 1])
  })

  it('do not hang on cycles of parents, and count what hangs below them', () => {
    const sizes = subtreeSizes(Int32Array.from([1, 2, 0, 0]))
    expect(sizes[3]).toBe(1)
    expect(sizes[0]).toBe(2)
  })

  it('ignore a node that is its own parent or points outside', () => {
    expect([...subtreeSizes(Int32Array.from([0, 7, -1]))]).toEqual([1, 1, 1])
  })
})

const world: World = {
  epoch: 1,
  n: 3,
  m: 2,
  ids: ['a', 'b', 'c'],
  names: ['a', 'b', 'c'],
  x: new Float32Array(3),
  y: new Float32Array(3),
  from: Uint32Array.from([0, 1]),
  to: Uint32Array.from([1, 2]),
  root: 0,
  channels: [],
  quality: null,
}
const all = LINK.forth | LINK.back | LINK.acceptedForth | LINK.acceptedBack

describe('kinds of links', () => {
  const state = (): ReturnType<typeof createState> => {
    const s = createState(3, 2)
    s.link.fill(all)
    s.parent[1] = 0
    return s
  }

  it('are tree links either way round, else shortcuts', () => {
    const s = state()
    expect([0, 1].map((k) => linkKind(world, s, k))).toEqual([LinkKind.tree, LinkKind.shortcut])
    s.parent[1] = -1
    s.parent[0] = 1
    expect(linkKind(world, s, 0)).toBe(LinkKind.tree)
  })

  it('are excluded unless both ends accept', () => {
    const s = state()
    s.link[1] = all & ~LINK.acceptedBack
    expect(linkKind(world, s, 1)).toBe(LinkKind.excluded)
  })

  it('are one-way when one direction works, even in the tree', () => {
    const s = state()
    s.link[0] = all & ~LINK.back
    expect(linkKind(world, s, 0)).toBe(LinkKind.oneway)
  })

  it('are dead when neither works or an end has failed', () => {
    const s = state()
    s.link[1] = LINK.acceptedForth
    expect(linkKind(world, s, 1)).toBe(LinkKind.dead)
    s.flags[0] = 0
    expect(linkKind(world, s, 0)).toBe(LinkKind.dead)
  })
})

describe('the healing region', () => {
  const flags = (...wrong: number[]): Int32Array => Int32Array.from(wrong, (w) => FLAG.alive | w)

  it('is where a layer is wrong, unless it is wrong nearly everywhere', () => {
    const out = new Uint8Array(4)
    const everywhere = FLAG.wrong(3)
    expect(healingRegion(flags(everywhere, everywhere | FLAG.wrong(1), everywhere, everywhere), out)).toBe(1)
    expect([...out]).toEqual([0, 1, 0, 0])
  })

  it('holds no failed nodes', () => {
    const out = new Uint8Array(3)
    const f = flags(FLAG.wrong(0), 0, 0)
    f[0] = FLAG.wrong(0)
    expect(healingRegion(f, out)).toBe(0)
  })
})
