/** Scenario events in words: for the marks of the score, the stopwatch and the notices. */
import { sentence, some } from './format'
import type { Mark } from './model'
import type { ScenarioEvent } from './scenario'

export interface Words {
  kind: Mark['kind']
  /** What the mark says: "71-52 fails". */
  label: string
  /** After "since": who or what, and what happened to it. */
  who: string
  past: string
  /** Several of the kind at once: "16 subscribe". */
  verb: string
}

const percent = (x: number): string => `${Math.round(x * 1000) / 10} %`

/** What an event is called; `name` turns a node's id into its name. */
export function words(event: ScenarioEvent, name: (id: string) => string): Words {
  const node = event.node === undefined ? '' : event.node === '*' ? 'every node' : name(event.node)
  const link = event.link ? `${name(event.link[0])} – ${name(event.link[1])}` : ''
  const oneway = event.oneway ? ' one way' : ''
  const say = (
    kind: Mark['kind'],
    who: string,
    verb: string,
    past: string,
    label = `${who} ${verb}`,
  ): Words => ({
    kind,
    who,
    verb,
    past,
    label,
  })
  switch (event.do) {
    case 'subscribe':
      return say('subscribe', node, 'subscribes', `subscribed to ${event.channel ?? ''}`)
    case 'unsubscribe':
      return say('subscribe', node, 'unsubscribes', `unsubscribed from ${event.channel ?? ''}`)
    case 'publish':
      return say('publish', node, 'publishes', `published on ${event.channel ?? ''}`)
    case 'fail-node':
      return say('fault', node, 'fails', 'failed')
    case 'restore-node':
      return say('restore', node, 'returns', 'returned')
    case 'fail-link':
      return say('fault', link, `fails${oneway}`, `failed${oneway}`)
    case 'restore-link':
      return say('restore', link, 'returns', 'returned')
    case 'set-loss': {
      const who = link || 'the network'
      const loss = percent(event.loss ?? 0)
      return say(event.loss ? 'fault' : 'restore', who, `loses ${loss}`, `began to lose ${loss}`)
    }
    case 'loss-burst': {
      const who = link || (event.nodes ? some(event.nodes.map(name)) : 'the network')
      const loss = percent(event.loss ?? 0)
      return say('loss', who, `loses ${loss}`, `began to lose ${loss}`)
    }
    case 'loss-burst-over':
      return say('restore', 'the burst of losses', 'is over', 'was over')
    case 'storm':
      return say(
        'storm',
        'a storm',
        'begins',
        'began',
        event.seed === undefined ? 'storm' : `storm ${event.seed}`,
      )
    case 'move-node':
      return say('other', node, 'moves', 'moved')
    case 'add-node':
      return say('other', event.id ?? 'a node', 'joins', 'joined')
    case 'restore-all':
      return say('restore', 'every link', 'returns', 'returned')
    case 'partition':
      return say('fault', 'the network', 'is cut', 'was cut in two')
    case 'corrupt-messages': {
      const share = percent(event.share ?? 0)
      return say('corrupt', `${share} of the messages`, 'corrupted', 'were corrupted')
    }
    case 'inject':
      return say('other', `a made-up ${event.message ?? 'message'}`, 'arrives', 'arrived')
    case 'corrupt': {
      const all = !event.layer || event.layer === '*'
      if (event.node === '*') {
        const what = all ? 'everything' : `every ${event.layer ?? ''} layer`
        return say('corrupt', what, 'corrupted', 'was corrupted')
      }
      return say('corrupt', all ? node : `${node}’s ${event.layer ?? ''}`, 'corrupted', 'was corrupted')
    }
    default:
      return say('other', node || event.do, event.do, event.do)
  }
}

/** A warning of the server's, with parameters called as on the page: "Hello timeout = 2.1 s leaves …" */
export function spelled(text: string, params: readonly { name: string; title: string }[]): string {
  const titles = new Map(params.map(({ name, title }) => [name, title]))
  const named = text.replace(/\w+/g, (word) => titles.get(word) ?? word)
  return sentence(named) + (/[.!?…]$/.test(named) ? '' : '.')
}

/** One mark per kind, moment and verb: sixteen subscriptions at once are one. */
export function marks(
  events: readonly ScenarioEvent[],
  name: (id: string) => string,
  index: (id: string) => number,
  until = Infinity,
): Mark[] {
  const out: Mark[] = []
  let group: { mark: Mark; verb: string; size: number } | null = null
  for (const event of events) {
    const t = event.t ?? 0
    if (t > until) continue
    const w = words(event, name)
    if (group && group.mark.t === t && group.verb === w.verb && group.mark.kind === w.kind) {
      group.size++
      group.mark.label = `${group.size} ${plural(w.verb)}`
      group.mark.node = -1
      continue
    }
    const mark: Mark = { t, kind: w.kind, label: w.label, node: event.node ? index(event.node) : -1 }
    if (event.duration_s !== undefined) mark.end = t + event.duration_s
    group = { mark, verb: w.verb, size: 1 }
    out.push(mark)
  }
  return out
}

/** "fails" said of several: "fail". */
const plural = (verb: string): string =>
  verb.replace(/^(\w+?)(?:es|s)\b/, (whole, stem: string) =>
    whole.endsWith('shes') ? stem : whole.slice(0, -1),
  )
