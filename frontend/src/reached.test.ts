import { describe, expect, it } from 'vitest'
import { Reached } from './reached'

const publication = (number: number, t: number, expected: string[], got: string[]) => ({
  number,
  t,
  expected,
  delivered: Object.fromEntries(got.map((id) => [id, { t, hops: 1 }])),
})

describe('the share reached', () => {
  it('is that of the publications of the last minute', () => {
    const r = new Reached()
    r.note(publication(1, 10, ['a', 'b'], ['a', 'b']))
    r.note(publication(2, 40, ['a', 'b'], []))
    expect(r.at(9, 200)).toBeNull()
    expect(r.at(10, 200)).toEqual({ publications: 1, expected: 2, reached: 2 })
    expect(r.at(41, 200)).toEqual({ publications: 2, expected: 4, reached: 2 })
    expect(r.at(70, 200)).toEqual({ publications: 1, expected: 2, reached: 0 })
    expect(r.at(100, 200)).toBeNull()
    expect(r.over([9, 41, 100], 200).map((s) => s?.reached ?? null)).toEqual([null, 2, null])
  })

  it('leaves out what is under way, until it has arrived or had time enough', () => {
    const r = new Reached()
    r.note(publication(1, 10, ['a', 'b'], ['a']))
    expect(r.at(12)).toBeNull()
    expect(r.at(15)).toMatchObject({ expected: 2, reached: 1 })
    r.note(publication(1, 10, ['a', 'b'], ['a', 'b', 'c']))
    expect(r.at(12)).toMatchObject({ expected: 2, reached: 2 })
  })

  it('does not count publications that nobody waits for', () => {
    const r = new Reached()
    r.note(publication(1, 10, [], ['z']))
    expect(r.at(20)).toBeNull()
  })

  it('says why there is no share', () => {
    const r = new Reached()
    expect(r.why(9)).toBe('no publication')
    r.note(publication(1, 10, [], []))
    expect(r.why(12)).toBe('nobody waits')
    r.note(publication(2, 20, ['a', 'b'], ['a']))
    expect(r.why(22)).toBe('on its way')
    expect(r.why(81)).toBe('no publication')
  })

  it('goes on from what the server tells, gaps and all', () => {
    const r = new Reached()
    r.restart({ first: 7, t: [1, 2], expected: [1, 1], reached: [1, 0] })
    r.note(publication(6, 0.5, ['a'], []))
    r.note(publication(8, 2, ['a'], ['a']))
    r.note(publication(11, 30, ['a'], ['a']))
    expect(r.size).toBe(5)
    expect(r.at(40)).toEqual({ publications: 3, expected: 3, reached: 3 })
  })

  it('keeps the latest in bounded room', () => {
    const r = new Reached()
    for (let i = 1; i <= 9000; i++) r.note(publication(i, i, ['a'], ['a']))
    expect(r.size).toBeLessThanOrEqual(4000)
    expect(r.at(9000)).toEqual({ publications: 60, expected: 60, reached: 60 })
  })
})
