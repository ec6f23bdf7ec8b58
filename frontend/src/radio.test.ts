import { describe, expect, it } from 'vitest'
import { companions, radioName, radioOf, reach } from './radio'
import type { Param, Protocol } from './wire.gen'

const param = (name: string, kind: Param['kind'], initial: unknown, unit = '', hi = 60): Param => ({
  name,
  layer: 'x',
  kind,
  default: initial,
  title: name,
  help: '',
  lo: 0,
  hi,
  unit,
  symbol: '',
  choices: [],
})
const protocol = {
  params: [
    param('hello_s', 'float', 1, 's'),
    param('hello_timeout_s', 'float', 3, 's', 20),
    param('max_neighbours', 'int', 256, '', 1000),
    param('quality_in', 'float', 0, '', 1),
    param('quality_out', 'float', 0, '', 1),
  ],
} as unknown as Protocol
const asked = (now: Record<string, unknown>, from: string, to: string) =>
  companions(protocol, now, from, to).map((c) => [c.param.name, c.from, c.to])

describe('what goes with a radio', () => {
  it('slows every timer down on one channel, within its range, gives up neighbours late, and asks for quality where links lose by distance', () => {
    expect(asked({}, 'ideal', 'log-distance')).toEqual([
      ['hello_s', 1, 4],
      ['hello_timeout_s', 3, 20],
      ['quality_in', 0, 0.7],
      ['quality_out', 0, 0.4],
    ])
    expect(asked({ hello_s: 0.5 }, 'ideal', 'unit-disk')).toContainEqual(['hello_s', 0.5, 1])
  })

  it('leaves alone what suits already, and takes it back for an ideal radio', () => {
    const slow = { hello_s: 4, hello_timeout_s: 20, quality_in: 0.7, quality_out: 0.4 }
    expect(asked(slow, 'log-distance', 'log-distance')).toEqual([])
    expect(asked(slow, 'log-distance', 'ideal')).toEqual([
      ['hello_s', 4, 1],
      ['hello_timeout_s', 20, 2],
      ['quality_in', 0.7, 0],
      ['quality_out', 0.4, 0],
    ])
  })
})

describe('a radio', () => {
  it('is called as the preset it is', () => {
    const defaults = { delay_s: 0.01, order: 'fifo', worst_delay_s: 0.1 }
    expect(radioName({ kind: 'ideal', delay_s: 0.12, order: 'fifo' }, defaults)).toBe('Ideal')
    expect(radioName({ kind: 'log-distance' }, {})).toBe('CC2420 as in Castalia')
    expect(radioName({ kind: 'log-distance', tx_dbm: -5 }, { tx_dbm: 0 })).toBe('Log-distance')
  })

  it('is ideal where a document has none', () => {
    expect(radioOf(null)).toEqual({ kind: 'ideal' })
  })

  it('is heard as far as its power reaches', () => {
    const cc2420 = { tx_dbm: 0, path_loss_db: 55, exponent: 2.4, sensitivity_dbm: -95 }
    expect(reach(cc2420)).toBeCloseTo(46.4, 1)
    expect(reach({ delay_s: 0.1 })).toBeNull()
  })
})
