import { describe, expect, it } from 'vitest'
import { between, Camera, fitFrame, STRETCH, zoomed } from './camera'

const pad = { top: 10, right: 20, bottom: 30, left: 40 }
const box = { left: -50, top: 0, right: 150, bottom: 100 }

function camera(): Camera {
  const c = new Camera()
  c.width = 800
  c.height = 600
  c.fit(box, pad)
  return c
}

describe('fitting', () => {
  it('puts the box inside the padding, touching it one way', () => {
    const c = camera()
    const [left, right] = [c.screenX(box.left), c.screenX(box.right)]
    const [top, bottom] = [c.screenY(box.top), c.screenY(box.bottom)]
    expect(left).toBeGreaterThanOrEqual(pad.left - 1e-6)
    expect(right).toBeLessThanOrEqual(800 - pad.right + 1e-6)
    expect(top).toBeGreaterThanOrEqual(pad.top - 1e-6)
    expect(bottom).toBeLessThanOrEqual(600 - pad.bottom + 1e-6)
    expect(right - left).toBeCloseTo(740)
  })

  it('stretches the looser side, but not beyond the limit', () => {
    const f = fitFrame({ left: 0, top: 0, right: 100, bottom: 10 }, 200, 200, {
      top: 0,
      right: 0,
      bottom: 0,
      left: 0,
    })
    expect([f.ax, f.ay]).toEqual([1, STRETCH])
  })

  it('survives a box without size', () => {
    const f = fitFrame({ left: 3, top: 3, right: 3, bottom: 3 }, 200, 100, pad)
    expect(Number.isFinite(f.x) && Number.isFinite(f.scale)).toBe(true)
  })
})

describe('zooming', () => {
  it('leaves the point under the pointer where it is', () => {
    const c = camera()
    const before = c.worldAt(300, 200)
    c.zoomAt(300, 200, 1.7)
    const after = c.worldAt(300, 200)
    expect(after.x).toBeCloseTo(before.x)
    expect(after.y).toBeCloseTo(before.y)
  })

  it('stops at its limits without drifting', () => {
    const c = camera()
    for (let i = 0; i < 50; i++) c.zoomAt(300, 200, 2)
    const x = c.x
    const version = c.version
    c.zoomAt(300, 200, 2)
    expect(c.x).toBe(x)
    expect(c.version).toBe(version)
    for (let i = 0; i < 50; i++) c.zoomAt(300, 200, 0.5)
    expect(c.scale).toBeCloseTo(c.fitted * 0.6)
  })

  it('world and screen are inverse', () => {
    const c = camera()
    c.zoomAt(10, 10, 3)
    const w = c.worldAt(123, 456)
    expect(c.screenX(w.x)).toBeCloseTo(123)
    expect(c.screenY(w.y)).toBeCloseTo(456)
  })
})

describe('gliding', () => {
  it('starts and ends exactly', () => {
    const a = { scale: 1, x: 0, y: 0 }
    const b = zoomed(a, 100, 50, 4)
    expect(between(a, b, 0)).toEqual(a)
    const end = between(a, b, 1)
    expect(end.scale).toBeCloseTo(4)
    expect(end.x).toBeCloseTo(b.x)
  })

  it('keeps the fixed point of a zoom fixed on the way', () => {
    const a = { scale: 1, x: 0, y: 0 }
    const m = between(a, zoomed(a, 100, 50, 4), 0.37)
    expect(m.x + 100 * m.scale).toBeCloseTo(100)
    expect(m.y + 50 * m.scale).toBeCloseTo(50)
  })

  it('arrives, says so, and raises the version on the way', () => {
    const c = camera()
    const version = c.version
    c.glide({ scale: c.scale * 2, x: 5, y: 6 }, 1000, 400)
    expect(c.step(1200)).toBe(true)
    expect(c.gliding).toBe(true)
    c.step(1500)
    expect(c.gliding).toBe(false)
    expect([c.x, c.y]).toEqual([5, 6])
    expect(c.version).toBeGreaterThan(version)
    expect(c.step(1600)).toBe(false)
  })

  it('is cut short by a pan', () => {
    const c = camera()
    c.glide({ scale: c.scale * 2, x: 5, y: 6 }, 0, 400)
    c.pan(3, 0)
    expect(c.gliding).toBe(false)
  })

  it('does not come closer than asked to a single node', () => {
    const c = camera()
    c.show({ left: 10, top: 10, right: 10, bottom: 10 }, pad, 0, 0, 4)
    expect(c.scale).toBeCloseTo(c.fitted * 4)
    expect(c.screenX(10)).toBeCloseTo(40 + 740 / 2)
  })
})
