import { describe, expect, it } from 'vitest'
import { addressKey, keep, readAddress, readKept, readSweepPlace } from './url'

function storage(broken = false): Storage {
  const map = new Map<string, string>()
  const use = <T>(f: () => T): T => {
    if (broken) throw new Error('denied')
    return f()
  }
  return {
    length: 0,
    key: () => null,
    clear: () => map.clear(),
    getItem: (k) => use(() => map.get(k) ?? null),
    setItem: (k, v) => use(() => void map.set(k, v)),
    removeItem: (k) => use(() => void map.delete(k)),
  }
}

describe('an address', () => {
  it('can hold a whole run, a short link, a session to watch, or nothing', () => {
    expect(readAddress('/', '#s1.abc_-')).toEqual({ kind: 'link', fragment: 's1.abc_-' })
    expect(readAddress('/', '#s2.newer')).toEqual({ kind: 'link', fragment: 's2.newer' })
    expect(readAddress('/s/9f3c', '')).toEqual({ kind: 'short', id: '9f3c' })
    expect(readAddress('/s/%zz', '')).toEqual({ kind: 'short', id: '%zz' })
    expect(readAddress('/', '#watch.k3j-2')).toEqual({ kind: 'watch', session: 'k3j-2' })
    expect(readAddress('/', '#main')).toEqual({ kind: 'none' })
    expect(readAddress('/', '')).toEqual({ kind: 'none' })
  })

  it('is told apart from others by its key', () => {
    const keys = ['#s1.a', '#s1.b', '#watch.a', ''].map((hash) => addressKey(readAddress('/', hash)))
    expect(new Set(keys).size).toBe(4)
  })
})

describe('the session of a reload', () => {
  it('comes back, from the tab before the browser', () => {
    const [tab, browser] = [storage(), storage()]
    keep({ id: '1', token: 'x', from: '' }, [browser])
    expect(readKept([tab, browser])?.id).toBe('1')
    keep({ id: '2', token: 'y', from: '#s1.a' }, [tab])
    expect(readKept([tab, browser])).toEqual({ id: '2', token: 'y', from: '#s1.a' })
    keep(null, [tab, browser])
    expect(readKept([tab, browser])).toBeNull()
  })

  it('is absent where storage is forbidden or holds something else', () => {
    const broken = storage(true)
    keep({ id: '1', token: 'x', from: '' }, [broken])
    expect(readKept([broken, null])).toBeNull()
    const other = storage()
    for (const text of ['{', '[]', '{"id":1}', '"x"', 'null']) {
      other.setItem('ringcast.session', text)
      expect(readKept([other])).toBeNull()
    }
  })
})

describe('the place of a sweep', () => {
  it.each([
    ['/sweep', { id: null }],
    ['/sweep/', { id: null }],
    ['/sweep/3f2a-b_c', { id: '3f2a-b_c' }],
    ['/', null],
    ['/s/0123', null],
    ['/sweeps', null],
    ['/sweep/a/b', null],
    ['/sweep/<b>', null],
  ])('%s', (path, place) => expect(readSweepPlace(path)).toEqual(place))
})
