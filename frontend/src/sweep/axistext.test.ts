import { describe, expect, it } from 'vitest'
import { glance, readAxis, writeAxis } from './axistext'
import { labelOf, lengthOf, readSweep, runsOf, saidOf, valueAt, valuesOf } from './document'
import type { Axis, PlainAxis } from './document'

const degree = { lo: 0, hi: 1000, open: true }
const nodes = { lo: 1, hi: 20_000, whole: true }
const read = (text: string, limits = degree): PlainAxis => {
  const found = readAxis('x', text, limits)
  if ('wrong' in found) throw new Error(found.wrong)
  return found.axis
}
const wrong = (text: string, limits: typeof degree | typeof nodes = degree): string => {
  const found = readAxis('x', text, limits)
  return 'wrong' in found ? found.wrong : ''
}

describe('values as text', () => {
  it.each([
    ['8, 16, 30', [8, 16, 30]],
    ['8 16 30', [8, 16, 30]],
    ['8,16,30', [8, 16, 30]],
    ['0.05; 0.1', [0.05, 0.1]],
    ['100, 1,000', [100, 1000]],
    ['7', [7]],
    ['8…14 step 2', [8, 10, 12, 14]],
    ['8..14 by 2', [8, 10, 12, 14]],
    ['8 to 14, step 2', [8, 10, 12, 14]],
    ['0.1–0.3 step 0.1', [0.1, 0.2, 0.3]],
    ['1…2 in 3 values', [1, 1.5, 2]],
    ['10…1,000 in 3 values, log', [10, 100, 1000]],
    ['10…1000 in 3 log', [10, 100, 1000]],
    ['1…1000 times 10', [1, 10, 100, 1000]],
    ['1e-2…1 in 3 steps log', [0.01, 0.1, 1]],
  ])('%s', (text, values) => expect(valuesOf(read(text))).toEqual(values))

  it('a range alone has a usual number of values', () => {
    expect(lengthOf(read('1…2'))).toBe(11)
    expect(valuesOf(read('3…5', nodes as never))).toEqual([3, 4, 5])
    expect(valuesOf(read('10…1000 log', nodes as never))).toEqual([10, 32, 100, 316, 1000])
  })

  it('whole numbers are not split', () => {
    expect(valuesOf(read('1…4 in 3 values', nodes as never))).toEqual([1, 3, 4])
    expect(wrong('8.5', nodes)).toContain('not a whole number')
    expect(wrong('1…10 step 0.5', nodes)).toContain('whole step')
  })

  it('a last step that rounding would lose is there', () =>
    expect(valuesOf(read('0.05…0.3 step 0.05'))).toEqual([0.05, 0.1, 0.15, 0.2, 0.25, 0.3]))

  it.each([
    ['', 'values are needed'],
    ['eight', '“eight” is not a number'],
    ['8, 8', 'twice'],
    ['0', 'above 0 to 1,000'],
    ['1…2000 step 1', '2,000 is not allowed'],
    ['30…8 step 2', 'empty'],
    ['1…8 step 0', 'more than 0'],
    ['1…8 in 1 values', 'two values'],
    ['1…8 step 2, log', 'number of values'],
    ['1…2 step 0.00000001', 'too many'],
    ['1…8 times 1', 'more than 1'],
  ])('refuses %j', (text, reason) => expect(wrong(text)).toContain(reason))

  it('a logarithmic range cannot start at nothing', () =>
    expect('wrong' in readAxis('x', '0…10 log', { lo: 0, hi: 10 })).toBe(true))

  it.each([
    '8, 16, 30',
    '8…30 step 2',
    '10…1,000 in 5 values, log',
    '1…1,000 times 10',
    '0.1…0.5 in 3 values',
    '100, 1,000',
  ])('writes what it reads: %s', (text) => expect(writeAxis(read(text))).toBe(text))

  it('is short at a glance', () => {
    expect(glance({ path: 'x', values: [1, 2] })).toBe('1, 2')
    expect(glance({ path: 'x', values: Array.from({ length: 40 }, (_, i) => i) })).toBe('0…39, 40 values')
    const labels = ['a long name of a protocol', 'another']
    expect(glance({ path: 'protocol', values: [{ name: 'a' }, { name: 'b' }], labels })).toBe('2 values')
  })
})

describe('the document', () => {
  const axes: Axis[] = [
    { path: 'topology.mean_degree', from: 8, to: 30, step: 2 },
    {
      zip: [
        { path: 'topology.n', values: [50, 100] },
        { path: 'radio.loss', values: [0, 0.1] },
      ],
    },
    {
      path: 'protocol',
      values: [{ name: 'psvr' }, { name: 'shen' }, { name: 'ringps' }],
      labels: ['PSVR', 'Shen'],
    },
  ]

  it('counts runs: axes crossed, zipped ones in step, times the seeds', () =>
    expect(runsOf({ axes, repetitions: 60 })).toBe(12 * 2 * 3 * 60))

  it('calls values by their labels, else by their names', () => {
    const axis = axes[2] as PlainAxis
    expect([0, 1, 2].map((i) => labelOf(axis, i))).toEqual(['PSVR', 'Shen', 'ringps'])
    expect([0.15, true, { kind: 'unit-disk' }, { share: 0.2 }, null].map(saidOf)).toEqual([
      '0.15',
      'on',
      'unit-disk',
      '20 %',
      'none',
    ])
  })

  it('finds fields by their path', () => {
    const base = { events: [{ t: 1 }, { t: 2 }] }
    expect(valueAt(base, 'events.1.t')).toBe(2)
    expect(valueAt(base, 'radio.loss.x')).toBeUndefined()
  })

  it('is read from text, with what is missing filled in', () => {
    const base = { version: 1, topology: { kind: 'line' }, protocol: { name: 'psvr' } }
    const document = readSweep(JSON.stringify({ base, axes, repetitions: 5 }))
    expect(document).toMatchObject({ repetitions: 5, first_seed: 1, metrics: [], name: '' })
    for (const [text, reason] of [
      ['{', 'not JSON'],
      ['[]', 'an object'],
      ['{}', 'base is missing'],
      ['{"base": {}, "axes": [{"path": "x"}]}', 'axes is a list'],
      ['{"base": {}, "axes": [{"zip": []}]}', 'axes is a list'],
    ] as const)
      expect(() => readSweep(text)).toThrow(reason)
  })
})
