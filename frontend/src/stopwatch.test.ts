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
