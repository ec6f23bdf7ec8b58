import { describe, expect, it } from 'vitest'
import { clearFlights, createFlights, pushFlight, pushLoss, type MessageKind } from '../model'
import { Paths, visitFlights, visitLosses } from './paths'

const KINDS: MessageKind[] = [
  { name: 'SUB', shape: 'subscription' },
  { name: 'PUB', shape: 'publication' },
]
const [SUB, PUB] = [0, 1]

function setUp(capacity = 64) {
  const f = createFlights(capacity)
  const paths = new Paths()
  const send = (t: number, from: number, to: number, publication: number, kind = PUB): number =>
    pushFlight(f, t, 0.1, from, to, from, to, publication, kind)
  return { f, paths, send, read: (now: number) => paths.read(f, KINDS, now) }
}

const ends = (hops: readonly { from: number; to: number }[]): string =>
  hops.map((h) => `${h.from}${h.to}`).join(' ')

describe('paths', () => {
  it('collect the hops of the latest publication and leave subscriptions out', () => {
    const { paths, send, read } = setUp()
    send(1, 3, 4, 1)
    send(1.1, 4, 5, 1)
    send(1.1, 8, 9, -1, SUB)
    read(2)
    expect(ends(paths.path)).toBe('34 45')
    expect(paths.publisher).toBe(3)
  })

  it('keep the old one until the next has begun at the time shown', () => {
    const { paths, send, read } = setUp()
    send(1, 3, 4, 1)
    send(5, 6, 7, 2)
    read(4.9)
    expect(paths.current).toBe(1)
    const before = paths.version
    read(5)
    expect(paths.current).toBe(2)
    expect(paths.version).toBeGreaterThan(before)
    expect(paths.older.map(ends)).toEqual(['34'])
  })

  it('show a chosen publication whatever comes', () => {
    const { paths, send, read } = setUp()
    send(1, 3, 4, 1)
    paths.choose(1)
    for (let p = 2; p < 12; p++) send(p, 6, 7, p)
    read(20)
    expect(ends(paths.path)).toBe('34')
    paths.choose(null)
    expect(paths.current).toBe(11)
  })

  it('read across the end of the ring buffer', () => {
    const { paths, send, read } = setUp(4)
    send(1, 0, 1, 1)
    send(1, 1, 2, 1)
    send(1, 2, 3, 1)
    read(2)
    send(1.2, 3, 4, 1)
    send(1.3, 4, 5, 1)
    read(2)
    expect(ends(paths.path)).toBe('01 12 23 34 45')
  })

  it('notice later that a hop was lost', () => {
    const { f, paths, send, read } = setUp()
    const k = send(1, 3, 4, 1)
    read(1.05)
    expect(paths.path[0]?.lost).toBe(false)
    f.lost[k] = 1
    read(1.06)
    expect(paths.path[0]?.lost).toBe(true)
  })

  it('start over when the buffer was cleared', () => {
    const { f, paths, send, read } = setUp()
    send(1, 3, 4, 1)
    send(1, 4, 5, 1)
    read(2)
    clearFlights(f)
    send(0.5, 6, 7, 1)
    read(1)
    expect(ends(paths.path)).toBe('67')
  })

  it('know who got the current publication', () => {
    const { paths, send, read } = setUp()
    send(1, 3, 4, 1)
    send(3, 3, 4, 2)
    paths.deliver(9, 1)
    read(2)
    expect([...paths.delivered]).toEqual([9])
    read(3)
    expect([...paths.delivered]).toEqual([])
  })
})

describe('messages in flight', () => {
  const seen = (f: ReturnType<typeof createFlights>, now: number, speed = 1): string[] => {
    const out: string[] = []
    visitFlights(f, now, speed, 1, KINDS, (k, u, strength) =>
      out.push(`${f.from[k]}@${u.toFixed(2)}*${strength.toFixed(1)}`),
    )
    return out
  }

  it('are those between start and arrival, by virtual time', () => {
    const f = createFlights(8)
    pushFlight(f, 1, 1, 5, 0, 0, 0, -1, SUB)
    expect(seen(f, 0.9)).toEqual([])
    expect(seen(f, 1.25)).toEqual(['5@0.25*1.0'])
    expect(seen(f, 2.1)).toEqual([])
  })

  it('that belong to no publication rest where they arrived until they leave', () => {
    const f = createFlights(8)
    pushFlight(f, 1, 0.01, 5, 6, 0, 0, -1, PUB)
    expect(seen(f, 1.5)).toEqual(['5@1.00*1.0'])
    pushFlight(f, 1.6, 0.01, 6, 7, 0, 0, -1, PUB)
    expect(seen(f, 1.8)).toEqual(['6@1.00*1.0'])
    expect(seen(f, 4)).toEqual([])
  })

  it('too short to be seen glow a moment at their end, longer at higher speed', () => {
    const f = createFlights(8)
    pushFlight(f, 1, 0.01, 5, 0, 0, 0, -1, SUB)
    expect(seen(f, 1.06)[0]).toMatch(/^5@1.00\*0/)
    expect(seen(f, 1.5)).toEqual([])
    expect(seen(f, 1.5, 10)[0]).toMatch(/^5@1.00/)
  })

  it('lost ones leave no glow: their burst is another matter', () => {
    const f = createFlights(8)
    f.lost[pushFlight(f, 1, 0.5, 5, 0, 0, 0, -1, SUB)] = 1
    expect(seen(f, 1.4)).toHaveLength(1)
    expect(seen(f, 1.55)).toEqual([])
  })
})

describe('losses', () => {
  const seen = (f: ReturnType<typeof createFlights>, now: number, speed = 1): number[] => {
    const out: number[] = []
    visitLosses(f.losses, now, speed, (k) => out.push(f.losses.node[k]!))
    return out
  }

  it('are seen for half a second on the wall', () => {
    const f = createFlights(40)
    pushLoss(f, 1, 0, 3, 0, 4)
    pushLoss(f, 2, 0, 4, 0, 5)
    expect(seen(f, 0.9)).toEqual([])
    expect(seen(f, 1.4)).toEqual([3])
    expect(seen(f, 1.6)).toEqual([])
    expect(seen(f, 2.2, 10)).toEqual([4, 3])
  })
})
