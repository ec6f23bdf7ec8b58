import { expect, it } from 'vitest'
import { addSample } from './frames'
import { FLAG, createCurves, createState } from './model'
import { foresee, replayWatch } from './review'

const names = { name: (id: string) => id, indexOf: () => 0 }

it('finds the same reading again in the curves', () => {
  const curves = createCurves(['tree', 'ring'])
  for (let t = 0; t < 10; t += 0.1) addSample(curves, t, t < 4 ? [1, 3] : t > 6 && t < 7.95 ? [0, 2] : [0, 0])
  const events = [
    { do: 'fail-node', node: 'late', t: 9 },
    { do: 'fail-node', node: 'x', t: 6 },
    { do: 'fail-node', node: 'never', t: 50 },
  ]
  const reading = replayWatch(curves, events, 9.5, names).read()
  expect(reading).toMatchObject({ phase: 'legitimate', start: 6, cause: { who: 'x' }, more: 0 })
  expect(reading.stop).toBeCloseTo(8)
})

it('shows a failure before the frame that brings it', () => {
  const state = createState(2, 0)
  const { version } = state
  const where = { indexOf: (id: string) => ['a', 'b'].indexOf(id) }
  foresee(state, { do: 'fail-node', node: 'b' }, where)
  expect([...state.flags]).toEqual([FLAG.alive, 0])
  expect(state.version).toBe(version + 1)
  foresee(state, { do: 'restore-node', node: 'b' }, where)
  foresee(state, { do: 'fail-node', node: 'unknown' }, where)
  foresee(state, { do: 'publish', node: 'a' }, where)
  expect([...state.flags]).toEqual([FLAG.alive, FLAG.alive])
})
