import { describe, expect, it } from 'vitest'
import { marks, words, spelled } from './describe'
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

describe('warnings', () => {
  it('call parameters as the page does', () => {
    const params = [{ name: 'hello_s', title: 'Hello period' }]
    expect(spelled('hello_s = 2 s is long for hello_said', params)).toBe(
      'Hello period = 2 s is long for hello_said.',
    )
    expect(spelled('Stays a sentence.', [])).toBe('Stays a sentence.')
  })
})

describe('what lasts', () => {
  it('has an end on the score', () => {
    const storm = { do: 'storm', t: 5, duration_s: 20, seed: 7 }
    const burst = { do: 'loss-burst', t: 30, duration_s: 4, loss: 0.5, nodes: ['a', 'b'] }
    const found = marks([storm, burst], name, () => -1)
    expect(found.map(({ kind, label, end }) => [kind, label, end])).toEqual([
      ['storm', 'storm 7', 25],
      ['loss', 'A, B loses 50 %', 34],
    ])
  })
})
