import { describe, expect, it } from 'vitest'
import type { World } from '../model'
import { Layout } from './layout'

function world(places: Record<string, [number, number]>): World {
  const ids = Object.keys(places)
  return {
    epoch: 1,
    n: ids.length,
    m: 0,
    ids,
    names: ids,
    x: Float32Array.from(ids, (id) => places[id]![0]),
    y: Float32Array.from(ids, (id) => places[id]![1]),
    from: new Uint32Array(0),
    to: new Uint32Array(0),
    root: -1,
    channels: [],
    quality: null,
  }
}

describe('the layout', () => {
  it('glides nodes that moved, matched by id, and grows new ones in place', () => {
    const l = new Layout()
    l.setWorld(world({ a: [0, 0], b: [10, 0] }), 0, false)
    l.setWorld(world({ b: [20, 0], a: [0, 0], c: [5, 5] }), 1000, true)
    expect([...l.x]).toEqual([10, 0, 5])
    expect([...l.grown]).toEqual([1, 1, 0])
    expect(l.step(1200)).toBe(true)
    expect(l.x[0]).toBeGreaterThan(10)
    expect(l.x[0]).toBeLessThan(20)
    l.step(2000)
    expect([...l.x]).toEqual([20, 0, 5])
    expect([...l.grown]).toEqual([1, 1, 1])
    expect(l.step(2100)).toBe(false)
  })

  it('does not move when nothing has moved', () => {
    const l = new Layout()
    l.setWorld(world({ a: [0, 0] }), 0, false)
    l.setWorld(world({ a: [0, 0] }), 0, true)
    expect(l.moving).toBe(false)
  })

  it('has a box with some body for a line, a single node, or none', () => {
    for (const w of [world({ a: [0, 0], b: [10, 0] }), world({ a: [3, 3] }), world({})]) {
      const l = new Layout()
      l.setWorld(w, 0, false)
      expect(l.box.right).toBeGreaterThan(l.box.left)
      expect(l.box.bottom).toBeGreaterThan(l.box.top)
      expect(l.spacing).toBeGreaterThan(0)
    }
  })
})
