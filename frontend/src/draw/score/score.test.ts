import { describe, expect, it } from 'vitest'
import { createCurves, pushSample, type Mark } from '../../model'
import {
  clampWindow,
  firstAfter,
  following,
  runLength,
  scoreGeometry,
  stretched,
  tickLabel,
  tickSeconds,
} from './geometry'
import { humps, peakIn, valueAt } from './humps'
import { Looking } from './looking'
import { cluster, labelOf } from './marks'
import { Bins } from './overview'

describe('lanes', () => {
  it('stand below each other without gaps', () => {
    const g = scoreGeometry(4, 30)
    const rows = [g.events!, ...g.layers, g.axis!, g.overview!]
    rows.slice(1).forEach((row, i) => expect(row.top).toBe(rows[i]!.top + rows[i]!.height))
    expect(g.height).toBe(5 * 30 + 18 + 34)
    expect(g.layers[0]).toEqual({ top: 30, height: 30, base: 56 })
    expect(g.delivery).toBeNull()
  })

  it('have one for deliveries below the layers', () => {
    const g = scoreGeometry(4, 30, false, true)
    expect(g.delivery).toEqual({ top: 150, height: 38, base: 184 })
    expect(g.axis?.top).toBe(188)
  })

  it('are only the layers on a phone', () => {
    const g = scoreGeometry(3, 25, true)
    expect([g.events, g.axis, g.overview, g.height]).toEqual([null, null, null, 75])
  })
})

describe('the window', () => {
  it('starts at 0 and then follows with a tenth of future', () => {
    expect(following(5, 30)).toEqual({ from: 0, to: 30 })
    const w = following(100, 30)
    expect(w.to - w.from).toBe(30)
    expect(w.to - 100).toBeCloseTo(3)
  })

  it('stays inside the run', () => {
    expect(clampWindow({ from: -5, to: 5 }, 100)).toEqual({ from: 0, to: 10 })
    expect(clampWindow({ from: 95, to: 105 }, 100)).toEqual({ from: 90, to: 100 })
    expect(clampWindow({ from: 0, to: 500 }, 100)).toEqual({ from: 0, to: 100 })
  })

  it('stretches around a time that stays where it is', () => {
    const w = stretched({ from: 10, to: 30 }, 15, 2)
    expect((15 - w.from) / (w.to - w.from)).toBeCloseTo(0.25)
  })
})

describe('looking', () => {
  const at = (now: number): { l: Looking; told: boolean[] } => {
    const told: boolean[] = []
    const l = new Looking((_, follows) => told.push(follows))
    l.duration = 200
    l.advance(now)
    told.length = 0
    return { l, told }
  }

  it('elsewhere stops following, and says so once', () => {
    const { l, told } = at(100)
    l.shift(-30)
    expect([l.follows, told]).toEqual([false, [false]])
    const seen = l.window
    l.advance(110)
    expect(l.window).toEqual(seen)
  })

  it('at now again follows', () => {
    const { l } = at(100)
    l.shift(-30)
    l.shift(30)
    expect(l.follows).toBe(true)
    l.advance(120)
    expect(l.window.to).toBeGreaterThan(120)
  })

  it('closer keeps now in place while following', () => {
    const { l } = at(100)
    l.zoom(100, 0.5)
    expect(l.follows).toBe(true)
    expect(l.window.to - l.window.from).toBeCloseTo(16.5)
    expect((100 - l.window.from) / 16.5).toBeCloseTo(0.9)
  })

  it('the brush is dragged by its middle and its edges', () => {
    const { l } = at(100)
    l.look({ from: 20, to: 50 })
    l.drag(l.gripOverview(35 * 5, 1000), 45 * 5, 1000)
    expect(l.window).toEqual({ from: 30, to: 60 })
    expect(l.edgeAt(60 * 5, 1000)).toBe('to')
    l.drag(l.gripOverview(60 * 5, 1000), 40 * 5, 1000)
    expect(l.window).toEqual({ from: 30, to: 40 })
  })

  it('a press beside the brush brings it there', () => {
    const { l } = at(100)
    l.look({ from: 20, to: 50 })
    l.gripOverview(150 * 5, 1000)
    expect(l.window).toEqual({ from: 135, to: 165 })
  })

  it('goes home and back to the end by keys, and leaves others alone', () => {
    const { l } = at(100)
    expect(l.key('Home')).toBe(true)
    expect(l.window.from).toBe(0)
    l.key('End')
    expect(l.follows).toBe(true)
    expect(l.key('x')).toBe(false)
  })
})

describe('the axis', () => {
  it('has round ticks far enough apart', () => {
    expect(tickSeconds(33, 1090)).toBe(5)
    expect(tickSeconds(33, 330)).toBe(10)
    expect(tickSeconds(0.6, 1000)).toBe(0.1)
  })

  it('names them in seconds, later in minutes', () => {
    expect(tickLabel(85, 5)).toBe('85 s')
    expect(tickLabel(0.5, 0.1)).toBe('0.5 s')
    expect(tickLabel(750, 30)).toBe('12:30')
  })

  it('ends at the planned length, or a round number ahead', () => {
    expect(runLength(20, 100)).toBe(100)
    expect(runLength(120, 100)).toBe(150)
    expect(runLength(10, null)).toBe(30)
  })

  it('finds samples by time', () => {
    expect(firstAfter([1, 2, 2, 5], 4, 2)).toBe(3)
    expect(firstAfter([1, 2, 2, 5], 4, 0)).toBe(0)
    expect(firstAfter([1, 2, 2, 5], 2, 9)).toBe(2)
  })
})

describe('humps', () => {
  const t = [0, 1, 2, 3, 4, 5, 6]
  const wrong = [0, 0, 4, 9, 0, 0, 3]

  it('rise at the first wrong sample and end at the first right one', () => {
    const [first, second] = humps(t, wrong, 7, 0, 10, 0)
    expect(first).toEqual({ t: [2, 2, 3, 4], wrong: [0, 4, 9, 0], peak: 9, open: false })
    expect(second).toMatchObject({ t: [6, 6], peak: 3, open: true })
  })

  it('merge samples that share a pixel, keeping the peak', () => {
    const many = Array.from({ length: 1000 }, (_, i) => i / 1000)
    const value = many.map((_, i) => (i === 500 ? 70 : 1))
    const [hump] = humps(many, value, 1000, 0, 1, 0.1)
    expect(hump!.t.length).toBeLessThan(20)
    expect(Math.max(...hump!.wrong)).toBe(70)
    expect(hump!.peak).toBe(70)
  })

  it('out of sight are left out', () => {
    expect(humps(t, wrong, 7, 4.5, 5.5, 0)).toEqual([])
    expect(peakIn(t, wrong, 7, 5.1, 5.9)).toBe(0)
    expect(peakIn(t, wrong, 7, 2.5, 5)).toBe(9)
  })

  it('have a value at every time since the first sample', () => {
    expect(valueAt(t, wrong, 7, 3.7)).toBe(9)
    expect(valueAt(t, wrong, 7, -1)).toBeNull()
  })
})

describe('marks', () => {
  const mark = (time: number, kind: Mark['kind'] = 'subscribe'): Mark => ({
    t: time,
    kind,
    label: `at ${time}`,
    node: 0,
  })
  const toX = (time: number): number => time * 10

  it('of one kind close together are one cluster, others stand alone', () => {
    const made = cluster([mark(1), mark(1.1), mark(1.15, 'fault'), mark(2), mark(30)], toX, 200)
    expect(made.map((c) => c.marks.length)).toEqual([3, 1])
    expect(made.map(labelOf)).toEqual(['3 subscriptions', 'at 1.15'])
  })

  it('out of sight are left out', () => {
    expect(cluster([mark(-5), mark(50)], toX, 200)).toEqual([])
  })
})

describe('the overview', () => {
  it('keeps the most of all layers per pixel, adding what is new', () => {
    const c = createCurves(['a', 'b'])
    const bins = new Bins()
    for (let i = 0; i <= 10; i++) pushSample(c, i, [i === 3 ? 5 : 0, i === 3 ? 2 : 0])
    expect(bins.update(c, 10, 10)[3]).toBe(7)
    pushSample(c, 10.5, [1, 1])
    expect(bins.update(c, 20, 20)[10]).toBe(2)
    expect(bins.update(c, 20, 20)[3]).toBe(7)
  })

  it('has no gaps where the last sample was moved along', () => {
    const c = createCurves(['a'])
    const bins = new Bins()
    for (const t of [0, 1]) pushSample(c, t, [4])
    bins.update(c, 10, 10)
    c.t[1] = 6
    bins.update(c, 10, 10)
    pushSample(c, 7, [2])
    expect([...bins.update(c, 10, 10)]).toEqual([4, 4, 4, 4, 4, 4, 4, 2, 0, 0])
  })

  it('starts over with another run', () => {
    const c = createCurves(['a'])
    const bins = new Bins()
    pushSample(c, 2, [9])
    bins.update(c, 10, 10)
    const other = createCurves(['a'])
    pushSample(other, 2, [0])
    expect(bins.update(other, 10, 10)[2]).toBe(0)
  })
})
