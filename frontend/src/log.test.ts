import { expect, it } from 'vitest'
import { withLines } from './log'
import type { Line } from './wire.gen'

const line = (t: number, kind: Line['kind']): Line => ({
  t,
  node: 0,
  kind,
  message: null,
  text: `${kind} ${t}`,
})

it('keeps what was done, however many messages follow', () => {
  let log = withLines([], [line(0, 'command')])
  for (let t = 1; t < 3000; t += 10)
    log = withLines(
      log,
      Array.from({ length: 10 }, (_, i) => line(t + i, 'send')),
    )
  expect(log[0]?.kind).toBe('command')
  expect(log.length).toBe(301)
  expect(log.at(-1)?.t).toBe(3000)
})
