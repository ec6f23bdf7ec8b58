import { describe, expect, it } from 'vitest'
import { FrameError, MOST_SAMPLES, addSample, apply, decode } from './frames'
import type { Model } from './frames'
import { createCurves, createFlights, createState, flightSlot } from './model'

type Piece = ['u8' | 'u32' | 'i32' | 'f32' | 'f64', number[]]
const SIZE = { u8: 1, u32: 4, i32: 4, f32: 4, f64: 8 }

function bytes(pieces: Piece[]): Uint8Array {
  const view = new DataView(
    new ArrayBuffer(pieces.reduce((sum, [type, v]) => sum + SIZE[type] * v.length, 0)),
  )
  let at = 0
  for (const [type, values] of pieces)
    for (const value of values) {
      if (type === 'u8') view.setUint8(at, value)
      else if (type === 'u32') view.setUint32(at, value, true)
      else if (type === 'i32') view.setInt32(at, value, true)
      else if (type === 'f32') view.setFloat32(at, value, true)
      else view.setFloat64(at, value, true)
      at += SIZE[type]
    }
  return new Uint8Array(view.buffer)
}

function section(tag: number, id: number, count: number, payload: Piece[]): Uint8Array {
  const body = bytes(payload)
  const out = new Uint8Array(8 + Math.ceil(body.length / 8) * 8)
  out.set([tag, id])
  new DataView(out.buffer).setUint32(4, count, true)
  out.set(body, 8)
  return out
}

interface Head {
  magic?: string
  version?: number
  kind?: number
  number?: number
  t?: number
  n?: number
  m?: number
  epoch?: number
  count?: number
}

function frame(head: Head, ...sections: Uint8Array[]): ArrayBuffer {
  const out = new Uint8Array(32 + sections.reduce((sum, s) => sum + s.length, 0))
  const view = new DataView(out.buffer)
  out.set([...(head.magic ?? 'RC')].map((c) => c.charCodeAt(0)))
  out[2] = head.version ?? 1
  out[3] = head.kind ?? 2
  view.setUint32(4, head.number ?? 1, true)
  view.setFloat64(8, head.t ?? 1, true)
  view.setUint32(16, head.n ?? 3, true)
  view.setUint32(20, head.m ?? 2, true)
  view.setUint32(24, head.epoch ?? 0, true)
  view.setUint16(28, head.count ?? sections.length, true)
  let at = 32
  for (const s of sections) {
    out.set(s, at)
    at += s.length
  }
  return out.buffer
}

/** Three nodes in a line, frame 0 seen. */
function model(): Model {
  return {
    world: {
      epoch: 0,
      n: 3,
      m: 2,
      ids: ['a', 'b', 'c'],
      names: ['a', 'b', 'c'],
      x: new Float32Array(3),
      y: new Float32Array(3),
      from: Uint32Array.of(0, 1),
      to: Uint32Array.of(1, 2),
      root: 0,
      channels: ['c'],
      quality: null,
    },
    state: createState(3, 2),
    flights: createFlights(8),
    curves: createCurves(['tree', 'ring']),
    columns: ['flags', 'depth', 'own_business'],
    frame: 0,
  }
}

const full = (head: Head = {}): ArrayBuffer =>
  frame(
    { kind: 1, ...head },
    section(1, 0, 3, [['i32', [7, 1, 257]]]),
    section(1, 1, 3, [['i32', [0, 1, 2]]]),
    section(1, 2, 3, [['i32', [9, 9, 9]]]),
    section(3, 0, 2, [['u8', [3, 15]]]),
    section(5, 0, 4, [
      ['u32', [0, 1, 3, 4]],
      ['i32', [0, 1, 3, 2]],
    ]),
  )

const load = (m: Model, buffer: ArrayBuffer): void => apply(decode(buffer), m)

describe('a full frame', () => {
  it('replaces everything, whatever its number', () => {
    const m = model()
    load(m, full({ number: 40, t: 2.5 }))
    expect(m.frame).toBe(40)
    expect(m.state.t).toBe(2.5)
    expect([...m.state.flags]).toEqual([7, 1, 257])
    expect([...m.state.depth]).toEqual([0, 1, 2])
    expect([...m.state.link]).toEqual([3, 15])
    expect([...m.state.posStart]).toEqual([0, 1, 3, 4])
    expect([...m.state.pos]).toEqual([0, 1, 3, 2])
  })

  it('must be complete', () => {
    const m = model()
    const partial = frame({ kind: 1 }, section(1, 0, 3, [['i32', [1, 1, 1]]]))
    expect(() => load(m, partial)).toThrow(FrameError)
    expect(m.frame).toBe(0)
  })
})

describe('a delta', () => {
  it('changes what it names and nothing else', () => {
    const m = model()
    load(m, full())
    const before = m.state.version
    load(
      m,
      frame(
        { number: 2, t: 3 },
        section(2, 0, 1, [
          ['u32', [1]],
          ['i32', [0]],
        ]),
        section(4, 0, 1, [
          ['u32', [1]],
          ['u8', [2]],
        ]),
        section(6, 0, 2, [
          ['u32', [0, 2]],
          ['u32', [0, 2, 2]],
          ['i32', [8, 9]],
        ]),
      ),
    )
    expect([...m.state.flags]).toEqual([7, 0, 257])
    expect([...m.state.link]).toEqual([3, 2])
    expect([...m.state.posStart]).toEqual([0, 2, 4, 4])
    expect([...m.state.pos]).toEqual([8, 9, 1, 3])
    expect(m.state.version).toBe(before + 1)
  })

  it('must follow the frame before', () => {
    const m = model()
    expect(() => load(m, frame({ number: 2 }))).toThrow('cannot follow')
    expect(() => load(m, frame({ number: 1, epoch: 1 }))).toThrow('another network')
    load(m, frame({ number: 1 }))
    expect(m.frame).toBe(1)
  })

  it('brings messages, their loss, curves and deliveries', () => {
    const m = model()
    const sends = section(7, 0, 2, [
      ['f64', [1, 1.5]],
      ['f32', [0.5, 0.5]],
      ['u32', [0, 1]],
      ['u32', [1, 2]],
      ['i32', [4, -1]],
      ['i32', [5, -1]],
      ['i32', [1, -1]],
      ['u8', [0, 3]],
    ])
    const drops = section(8, 0, 1, [
      ['f64', [2]],
      ['u32', [1]],
      ['u32', [2]],
      ['u8', [3]],
      ['u8', [0]],
    ])
    const samples = section(9, 2, 2, [
      ['f64', [1.1, 1.2]],
      ['i32', [5, 0, 7, 6]],
    ])
    const deliveries = section(10, 0, 1, [
      ['f64', [2]],
      ['u32', [2]],
      ['i32', [1]],
    ])
    const decoded = decode(frame({ t: 2 }, sends, drops, samples, deliveries))
    apply(decoded, m)
    expect(m.flights.size).toBe(2)
    expect(m.flights.fromPos[flightSlot(m.flights, 0)]).toBe(4)
    expect([...m.flights.lost.subarray(0, 2)]).toEqual([0, 1])
    expect([...m.curves.t.subarray(0, 2)]).toEqual([1.1, 1.2])
    expect(m.curves.wrong.map((w) => [...w.subarray(0, 2)])).toEqual([
      [5, 0],
      [7, 6],
    ])
    expect(m.curves.since).toEqual([1.2, null])
    expect([...(decoded.deliveries?.node ?? [])]).toEqual([2])
  })

  it('forgets messages in flight when time goes back', () => {
    const m = model()
    load(m, full({ t: 9 }))
    m.flights.size = 3
    load(m, frame({ number: 2, t: 4 }))
    expect(m.flights.size).toBe(0)
  })
})

describe('malformed bytes', () => {
  const cases: [string, ArrayBuffer][] = [
    ['empty', new ArrayBuffer(0)],
    ['shorter than a header', new ArrayBuffer(31)],
    ['other magic', frame({ magic: 'XX' })],
    ['a newer version', frame({ version: 2 })],
    ['an unknown kind', frame({ kind: 3 })],
    ['time that is no number', frame({ t: Number.NaN })],
    ['fewer sections than promised', frame({ count: 1 })],
    ['bytes after the last section', frame({ count: 0 }, section(4, 0, 0, []))],
    ['an unknown section', frame({}, section(11, 0, 0, []))],
    ['a column of the wrong length', frame({}, section(1, 0, 2, [['i32', [1, 2]]]))],
    ['a count beyond the frame', frame({}, section(1, 0, 3, [['i32', [1]]]))],
    ['a count beyond any frame', frame({}, section(7, 0, 0xffffffff, []))],
    ['a node out of range', frame({}, section(2, 0, 1, [['u32', [3]], ['i32', [0]]]))],
    ['a link out of range', frame({}, section(4, 0, 1, [['u32', [2]], ['u8', [0]]]))],
    ['positions out of order', frame({}, section(6, 0, 2, [['u32', [0, 1]], ['u32', [0, 2, 1]], ['i32', [1, 2]]]))],
    ['positions that do not add up', frame({}, section(5, 0, 1, [['u32', [0, 0, 0, 0]], ['i32', [1]]]))],
  ] // prettier-ignore
  it.each(cases)('%s', (_, buffer) => {
    expect(() => decode(buffer)).toThrow(FrameError)
  })

  it('every truncation of a good frame is refused', () => {
    const good = full()
    for (let length = 0; length < good.byteLength; length++)
      expect(() => decode(good.slice(0, length))).toThrow(FrameError)
  })

  it('an undeclared column or another number of layers is refused', () => {
    const m = model()
    expect(() => load(m, frame({}, section(2, 3, 0, [])))).toThrow('not declared')
    expect(() => load(m, frame({}, section(9, 1, 0, [])))).toThrow('layers')
  })
})

describe('curves', () => {
  it('keep two points of a flat line', () => {
    const curves = createCurves(['tree'])
    for (let i = 0; i < 50; i++) addSample(curves, i, [0])
    addSample(curves, 50, [4])
    expect([...curves.t.subarray(0, curves.size)]).toEqual([0, 49, 50])
  })

  it('stay bounded and keep their peak', () => {
    const curves = createCurves(['tree'])
    for (let i = 0; i < 4 * MOST_SAMPLES; i++) addSample(curves, i, [i === 101 ? 1000 : i % 7])
    expect(curves.size).toBeLessThanOrEqual(MOST_SAMPLES)
    expect(Math.max(...(curves.wrong[0]?.subarray(0, curves.size) ?? []))).toBe(1000)
    const t = curves.t.subarray(0, curves.size)
    expect(t.every((value, i) => i === 0 || value > (t[i - 1] ?? 0))).toBe(true)
  })

  it('know since when a layer has been legitimate', () => {
    const curves = createCurves(['tree'])
    addSample(curves, 1, [3])
    expect(curves.since).toEqual([null])
    addSample(curves, 2, [0])
    addSample(curves, 3, [0])
    expect(curves.since).toEqual([2])
    addSample(curves, 4, [1])
    expect(curves.since).toEqual([null])
  })
})
