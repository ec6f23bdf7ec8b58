import { describe, expect, it } from 'vitest'
import { marks, words } from './describe'
import type { ScenarioEvent } from './scenario'

const name = (id: string): string => id.toUpperCase()
const say = (event: ScenarioEvent): string => {
  const { who, past } = words(event, name)
  return `${who} ${past}`
}

describe('events in words', () => {
  it.each<[ScenarioEvent, string, string]>([
    [{ do: 'fail-node', node: 'a' }, 'A failed', 'A fails'],
    [{ do: 'restore-node', node: 'a' }, 'A returned', 'A returns'],
    [{ do: 'fail-link', link: ['a', 'b'], oneway: true }, 'A – B failed one way', 'A – B fails one way'],
    [{ do: 'corrupt', node: '*', layer: '*' }, 'everything was corrupted', 'everything corrupted'],
    [
      { do: 'corrupt', node: '*', layer: 'ring' },
      'every ring layer was corrupted',
      'every ring layer corrupted',
    ],
    [{ do: 'corrupt', node: 'a', layer: 'tree' }, 'A’s tree was corrupted', 'A’s tree corrupted'],
    [{ do: 'set-loss', loss: 0.125 }, 'the network began to lose 12.5 %', 'the network loses 12.5 %'],
    [{ do: 'subscribe', node: 'a', channel: 'x' }, 'A subscribed to x', 'A subscribes'],
    [{ do: 'restore-all' }, 'every link returned', 'every link returns'],
    [{ do: 'something-new', node: 'a' }, 'A something-new', 'A something-new'],
  ])('%o', (event, past, label) => {
    expect(say(event)).toBe(past)
    expect(words(event, name).label).toBe(label)
  })
})

describe('marks', () => {
  it('join what happens to many at the same moment', () => {
    const events: ScenarioEvent[] = [
      { t: 0, do: 'subscribe', node: 'a', channel: 'c' },
      { t: 0, do: 'subscribe', node: 'b', channel: 'c' },
      { t: 0, do: 'publish', node: 'b', channel: 'c' },
      { t: 0, do: 'publish', node: 'a', channel: 'c' },
      { t: 5, do: 'fail-node', node: 'a' },
      { t: 9, do: 'fail-node', node: 'b' },
    ]
    const made = marks(events, name, (id) => 'ab'.indexOf(id), 6)
    expect(made.map((m) => [m.t, m.kind, m.label, m.node])).toEqual([
      [0, 'subscribe', '2 subscribe', -1],
      [0, 'publish', '2 publish', -1],
      [5, 'fault', 'A fails', 0],
    ])
  })
})
