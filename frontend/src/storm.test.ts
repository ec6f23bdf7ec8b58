import { describe, expect, it } from 'vitest'
import { expected, rates } from './storm'

describe('a storm', () => {
  it('is in proportion to the network', () => {
    expect(rates('rough', 200, 400, true)).toEqual({
      link_flaps_per_s: 4,
      crashes_per_s: 0.6,
      corruptions_per_s: 0.2,
      joins_per_s: 0,
      churn_per_s: 0.4,
    })
    expect(rates('wild', 100, 200, false)['churn_per_s']).toBe(0)
    expect(rates('wild', 100_000, 200_000, true)['link_flaps_per_s']).toBe(1000)
  })

  it('breaks something even in a small network, however gentle', () => {
    expect(rates('gentle', 6, 6, true)['link_flaps_per_s']).toBeGreaterThan(0)
  })

  it('says what to expect', () => {
    const values = { link_flaps_per_s: 4, crashes_per_s: 0.01, joins_per_s: 0, repair_s: 5 }
    expect(expected(values, 30)).toBe('about 120 link flaps, < 1 crashes')
    expect(expected({}, 30)).toBe('')
  })
})
