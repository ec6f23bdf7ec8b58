import { describe, expect, it } from 'vitest'
import { Stopwatch } from './stopwatch'

const fault = (t: number, who = 'a', kind = 'fault') => ({ t, who, past: 'failed', kind })

describe('the stopwatch', () => {
  it('counts from the start until all is well', () => {
    const watch = new Stopwatch()
    watch.cause(fault(0, 'a', 'subscribe'))
    watch.sample(0.1, true)
    expect(watch.read()).toMatchObject({ phase: 'growing', start: 0, stop: null })
    watch.sample(9.4, false)
    watch.sample(9.5, false)
    expect(watch.read()).toMatchObject({ phase: 'legitimate', start: 0, stop: 9.4, cause: null })
  })

  it('starts with the fault, not with its first visible effect', () => {
    const watch = new Stopwatch()
    watch.sample(5, false)
    watch.cause(fault(81.2))
    watch.sample(81.3, true)
    expect(watch.read()).toMatchObject({ phase: 'healing', start: 81.2, stop: null, cause: { who: 'a' } })
    watch.sample(84.6, false)
    expect(watch.read()).toMatchObject({ phase: 'legitimate', start: 81.2, stop: 84.6 })
  })

  it('runs on when one fault ripples through the layers one after the other', () => {
    const watch = new Stopwatch()
    watch.sample(5, false)
    watch.cause(fault(10))
    watch.sample(10.1, true)
    watch.sample(11, false)
    watch.sample(11.5, true)
    expect(watch.read()).toMatchObject({ phase: 'healing', start: 10, stop: null, cause: { who: 'a' } })
  })

  it('counts further faults while it heals', () => {
    const watch = new Stopwatch()
    watch.sample(5, false)
    watch.cause(fault(10))
    watch.sample(10.1, true)
    watch.cause(fault(11, 'b'))
    watch.cause(fault(12, 'c'))
    expect(watch.read()).toMatchObject({ start: 10, cause: { who: 'a' }, more: 2 })
  })

  it('does not blame what did no harm', () => {
    const watch = new Stopwatch()
    watch.sample(5, false)
    watch.cause(fault(10, 'harmless', 'other'))
    for (let t = 10.1; t < 20; t += 0.1) watch.sample(t, false)
    watch.cause(fault(20, 'b'))
    watch.sample(20.1, true)
    expect(watch.read()).toMatchObject({ start: 20, cause: { who: 'b' } })
  })

  it('blames what lasts while it lasts, and a while after', () => {
    const burst = { ...fault(20, 'the network', 'loss'), end: 30 }
    for (const [t, start] of [
      [23.2, 20],
      [29, 20],
      [33, 33],
    ] as const) {
      const watch = new Stopwatch()
      watch.sample(19, false)
      watch.cause(burst)
      for (let k = 200.5; k < t * 10; k++) watch.sample(k / 10, false)
      watch.sample(t, true)
      expect(watch.read()).toMatchObject({ phase: 'healing', start, cause: { who: 'the network' }, more: 0 })
    }
  })

  it('blames what has just happened before what goes on', () => {
    const watch = new Stopwatch()
    watch.sample(19, false)
    watch.cause({ ...fault(20, 'the network', 'fault'), end: Infinity })
    for (let t = 20.1; t < 60; t += 0.1) watch.sample(t, false)
    watch.cause(fault(60, 'b'))
    watch.sample(60.1, true)
    expect(watch.read()).toMatchObject({ start: 60, cause: { who: 'b' } })
  })

  it('never grows again: what turns wrong later without a known cause heals from then', () => {
    const watch = new Stopwatch()
    watch.sample(9, false)
    watch.sample(9.5, true)
    expect(watch.read()).toMatchObject({ phase: 'growing', start: 0 })
    watch.sample(10, false)
    for (let t = 10; t < 40; t += 0.1) watch.sample(t, false)
    watch.sample(40, true)
    expect(watch.read()).toMatchObject({ phase: 'healing', start: 40, stop: null, cause: null })
    watch.sample(42, false)
    expect(watch.read()).toMatchObject({ phase: 'legitimate', start: 40, stop: 42, cause: null })
  })

  it('never blames a publication', () => {
    const watch = new Stopwatch()
    watch.sample(5, false)
    watch.cause(fault(9.9, 'p', 'publish'))
    watch.cause(fault(10, 'b'))
    watch.sample(10.1, true)
    expect(watch.read()).toMatchObject({ cause: { who: 'b' }, more: 0 })
  })

  it('a fault while growing is what it then heals from; a subscription is not', () => {
    const watch = new Stopwatch()
    watch.sample(1, true)
    watch.cause(fault(2, 's', 'subscribe'))
    expect(watch.read().phase).toBe('growing')
    watch.cause(fault(3, 'x'))
    expect(watch.read()).toMatchObject({ phase: 'healing', start: 3, cause: { who: 'x' } })
  })
})
