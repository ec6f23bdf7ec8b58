import { describe, expect, it } from 'vitest'
import { createState, FLAG, LINK, type World } from '../../model'
import { Camera } from '../camera'
import { Layout } from '../layout'
import { Paths } from '../paths'
import { readTheme } from '../theme'
import { clustered } from './blob'
import { absorbState, noChanges } from './changes'
import { treeWidth } from './links'
import { namesToShow } from './names'
import { createScene, LOOK, lookOf, nodeRadius, type Scene } from './scene'

describe('how a node looks', () => {
  const alive = FLAG.alive
  const plain = { root: false, publisher: false, delivered: false, inner: false }
  it.each([
    ['failed beats all', 0, { ...plain, publisher: true }, LOOK.failed],
    ['a corrupted root', alive | FLAG.corrupted | FLAG.wrong(0), { ...plain, root: true }, LOOK.corrupted],
    ['the root', alive, { ...plain, root: true }, LOOK.root],
    ['a wrong root', alive | FLAG.wrong(1), { ...plain, root: true }, LOOK.wrongRoot],
    ['a wrong subscriber', alive | FLAG.subscriber | FLAG.wrong(3), plain, LOOK.wrongSubscriber],
    ['a wrong node', alive | FLAG.wrong(22), plain, LOOK.wrong],
    ['a subscriber', alive | FLAG.subscriber, plain, LOOK.subscriber],
    ['somebody who published before', alive | FLAG.publisher, plain, LOOK.publishedBefore],
    ['the publisher, wrong or not', alive | FLAG.wrong(1), { ...plain, publisher: true }, LOOK.publisher],
    ['who got it', alive | FLAG.subscriber, { ...plain, delivered: true }, LOOK.delivered],
    ['who got it and is wrong', alive | FLAG.wrong(1), { ...plain, delivered: true }, LOOK.wrongDelivered],
    ['an inner node', alive, { ...plain, inner: true }, LOOK.inner],
    ['anybody else', alive, plain, LOOK.leaf],
  ])('%s', (_, flags, standing, look) => expect(lookOf(flags, standing)).toBe(look))
})

describe('sizes', () => {
  it('of nodes grow with the room between them, ever more slowly', () => {
    const sizes = [2, 6, 14, 41, 80, 230, 2000].map(nodeRadius)
    expect([...sizes].sort((a, b) => a - b)).toEqual(sizes)
    expect(nodeRadius(41)).toBeCloseTo(3.9, 1)
    expect(nodeRadius(100_000)).toBe(18)
    expect(nodeRadius(0.1)).toBe(1.1)
  })

  it('of tree links grow with the subtree they carry, and never fill the picture', () => {
    expect(treeWidth(1, 210)).toBeLessThan(treeWidth(9, 210))
    expect(treeWidth(9999, 10_000)).toBeLessThan(8)
  })
})

/** A line of n nodes: 0 – 1 – 2 – … */
function line(n: number): { world: World; scene: Scene; state: ReturnType<typeof createState> } {
  const ids = Array.from({ length: n }, (_, v) => `node-${v}`)
  const world: World = {
    epoch: 1,
    n,
    m: n - 1,
    ids,
    names: ids,
    x: Float32Array.from(ids, (_, v) => v * 10),
    y: new Float32Array(n),
    from: Uint32Array.from({ length: n - 1 }, (_, k) => k),
    to: Uint32Array.from({ length: n - 1 }, (_, k) => k + 1),
    root: 0,
    channels: [],
    quality: null,
  }
  const state = createState(n, n - 1)
  state.link.fill(LINK.forth | LINK.back | LINK.acceptedForth | LINK.acceptedBack)
  const camera = new Camera()
  camera.width = 600
  const scene = createScene(world, state, camera, new Layout(), readTheme(null))
  absorbState(scene, state, new Paths(), noChanges())
  return { world, scene, state }
}

describe('changes', () => {
  it('are only what differs', () => {
    const { scene, state } = line(50)
    const nothing = noChanges()
    absorbState(scene, state, new Paths(), nothing)
    expect(nothing).toEqual(noChanges())
    state.flags[20]! |= FLAG.subscriber
    const some = noChanges()
    absorbState(scene, state, new Paths(), some)
    expect(some).toEqual({ nodes: [20], links: false, region: false, names: false })
  })

  it('a failure changes links and names, and is named until it is mended', () => {
    const { scene, state } = line(50)
    state.flags[7] = 0
    const failed = noChanges()
    absorbState(scene, state, new Paths(), failed)
    expect(failed).toMatchObject({ links: true, names: true })
    expect(scene.failed).toEqual([7])
    state.flags[7] = FLAG.alive
    absorbState(scene, state, new Paths(), noChanges())
    expect(scene.failed).toEqual([])
  })
})

describe('roots', () => {
  it('are none while several nodes believe to be it, but for the designated one', () => {
    const { scene, state } = line(50)
    for (const v of [0, 3, 9]) state.flags[v]! |= FLAG.root
    absorbState(scene, state, new Paths(), noChanges())
    expect([0, 3, 9].map((v) => scene.look[v])).toEqual([LOOK.root, LOOK.leaf, LOOK.leaf])
    state.part[9] = 1
    absorbState(scene, state, new Paths(), noChanges())
    expect(scene.look[9]).toBe(LOOK.root)
  })
})

describe('the region', () => {
  const wrong = (...nodes: number[]): number[] => {
    const { scene, state } = line(60)
    for (const v of nodes) state.flags[v]! |= FLAG.wrong(1)
    absorbState(scene, state, new Paths(), noChanges())
    return [...clustered(scene)].flatMap((inside, v) => (inside ? [v] : []))
  }

  it('is drawn around nodes that hang together', () => {
    expect(wrong(10, 11, 12, 13, 30, 40, 41)).toEqual([10, 11, 12, 13])
  })

  it('is drawn around a single node when it is all there is', () => {
    expect(wrong(30)).toEqual([30])
  })
})

describe('names', () => {
  const focus = { node: -1, link: -1, hoveredNode: -1, hoveredLink: -1, publisher: -1 }

  it('are given to what matters, each once, the selected first', () => {
    const { scene, state } = line(50)
    state.flags[0]! |= FLAG.root
    state.flags[9] = 0
    absorbState(scene, state, new Paths(), noChanges())
    const names = namesToShow(scene, { ...focus, node: 0, hoveredNode: 4, publisher: 5 })
    expect(names.map((l) => [l.node, l.caption])).toEqual([
      [0, 'root'],
      [4, ''],
      [9, 'failed'],
      [5, 'publishes'],
    ])
  })

  it('are fewer where there is no room', () => {
    const { scene, state } = line(50)
    state.flags[0]! |= FLAG.root
    absorbState(scene, state, new Paths(), noChanges())
    scene.camera.width = 390
    expect(namesToShow(scene, { ...focus, publisher: 5 })).toEqual([])
  })
})
