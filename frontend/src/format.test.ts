import { expect, it } from 'vitest'
import { brief, clock, many, some, stretch, times, share } from './format'
import { GENERATORS, check, topologyOf } from './generators'

it('writes times without ever rounding up to 60', () => {
  expect(clock(84.62)).toBe('01:24.620')
  expect(clock(59.9996)).toBe('01:00.000')
  expect(clock(3725, 0)).toBe('1:02:05')
  expect(stretch(3.421)).toEqual({ value: '3.42', unit: 's' })
  expect(stretch(119.96)).toEqual({ value: '2:00.0', unit: 'min' })
  expect(stretch(-1).value).toBe('0.00')
  expect([brief(3.44), brief(85.4), brief(720), brief(10800)]).toEqual(['3.4 s', '85 s', '12 min', '3.0 h'])
})

it('writes numbers as people do', () => {
  expect(many(1, 'node')).toBe('1 node')
  expect(many(12345, 'node')).toBe('12,345 nodes')
  expect([times(0.1), times(1), times(100)]).toEqual(['0.1×', '1×', '100×'])
  expect(some(['a', 'b', 'c'])).toBe('a, b, c')
  expect(some(['a', 'b', 'c', 'd', 'e'])).toBe('a, b and 3 more')
})

it('says what is wrong with a number', () => {
  const field = { lo: 1, hi: 20_000, whole: true }
  expect(check(field, 20)).toBeNull()
  expect(check(field, 20_001)).toBe('allowed: 1 to 20,000')
  expect(check(field, 1.5)).toContain('whole')
  expect(check(field, null)).toContain('number')
  expect(check(field, Number.NaN)).toContain('number')
})

it('every generator starts with values that it allows', () => {
  for (const generator of GENERATORS) {
    const values = Object.fromEntries(generator.fields.map((f) => [f.name, f.start]))
    expect(generator.fields.every((f) => check(f, values[f.name]) === null)).toBe(true)
    expect(topologyOf(generator, {})).toEqual({ kind: generator.kind, ...values })
  }
})

it('says 100 % only where nothing is missing', () => {
  expect([share(3, 3), share(1999, 2000), share(9999, 10_000), share(97, 100), share(0, 4)]).toEqual([
    '100 %',
    '99.9 %',
    '99.9 %',
    '97 %',
    '0 %',
  ])
})
