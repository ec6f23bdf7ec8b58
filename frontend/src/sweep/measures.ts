/** What a sweep measures: what the columns are called in words, in which unit, and which way is better. */
import { sentence } from '../format'
import type { Protocol } from '../wire.gen'
import { plain } from './document'

export interface Measure {
  name: string
  title: string
  /** "31 % fewer messages", but "a 31 % lower delivery ratio". */
  counted: boolean
  unit: string
  /** null: neither. */
  better: 'less' | 'more' | null
  group: 'Outcome' | 'Cost' | 'Healing' | 'Messages'
  help: string
}

const make = (
  name: string,
  title: string,
  group: Measure['group'],
  better: Measure['better'],
  rest: Partial<Measure> = {},
): Measure => ({ name, title, group, better, counted: true, unit: '', help: '', ...rest })

const GENERAL: readonly Measure[] = [
  make('delivery_ratio', 'delivery ratio', 'Outcome', 'more', {
    counted: false,
    unit: '%',
    help: 'Of those who should get a publication, how many did.',
  }),
  make('hops_per_delivery', 'hops per delivery', 'Outcome', 'less'),
  make('delivered', 'deliveries', 'Outcome', 'more'),
  make('duplicates', 'duplicates', 'Outcome', 'less'),
  make('publications', 'publications', 'Outcome', null),
  make('expected', 'deliveries expected', 'Outcome', null),
  make('hops', 'hops of all deliveries', 'Outcome', 'less'),
  make('messages', 'messages', 'Cost', 'less', { help: 'All that were sent, of every kind.' }),
  make('messages_per_publication', 'messages per publication', 'Cost', 'less', {
    help: 'All that were sent.',
  }),
  make('transmissions_per_delivery', 'transmissions per delivery', 'Cost', 'less', {
    help: 'Sends of publications only.',
  }),
  make('transmissions', 'transmissions of publications', 'Cost', 'less'),
  make('events', 'engine events', 'Cost', 'less'),
]
const BY_NAME = new Map(GENERAL.map((m) => [m.name, m]))

/** What a run of this protocol can be measured by; `names`: what the server says it can, once it has been asked. */
export function measuresOf(protocol: Protocol | null, names: readonly string[] = []): Measure[] {
  if (names.length) return names.filter((name) => name !== 'end_s').map((name) => measureOf(name, protocol))
  const serves = protocol?.services.includes('publish') ?? true
  return GENERAL.filter(({ name }) => serves || name === 'messages' || name === 'events')
}

/** What a column of results is, by its name. */
export function measureOf(name: string, protocol: Protocol | null = null): Measure {
  const known = BY_NAME.get(name)
  if (known) return known
  const [what = '', which = ''] = name.split(/\.(.*)/s)
  const layer = (protocol?.layers.find((l) => l.name === which)?.title ?? which).toLowerCase()
  switch (what) {
    case 'stabilised_s':
      return make(name, `time until the ${layer} is stable`, 'Healing', 'less', {
        unit: 's',
        counted: false,
        help: 'After the last fault.',
      })
    case 'stabilised_rounds':
      return make(name, `rounds until the ${layer} is stable`, 'Healing', 'less', {
        help: 'After the last fault.',
      })
    case 'legitimate_s':
      return make(name, `time since when the ${layer} is legitimate`, 'Healing', 'less', {
        unit: 's',
        counted: false,
      })
    case 'wrong':
      return make(name, `wrong variables of the ${layer}`, 'Healing', 'less', { help: 'At the end.' })
    case 'sent':
      return make(name, `${which} messages`, 'Messages', 'less')
    case 'dropped':
      return make(name, `messages lost (${which.replaceAll('-', ' ')})`, 'Messages', 'less')
    default:
      return make(name, name.replaceAll('_', ' ').replaceAll('.', ' '), 'Cost', null)
  }
}

/** What the server keeps when nothing was chosen, the most telling first. */
export function usualMeasures(protocol: Protocol | null): string[] {
  if (!protocol) return []
  const outcome = ['hops_per_delivery', 'delivery_ratio', 'transmissions_per_delivery', 'duplicates']
  const healing = protocol.layers.map(({ name }) => `stabilised_s.${name}`)
  return [...(protocol.services.includes('publish') ? outcome : []), 'messages', ...healing]
}

/** A value of a measure, as precise as it deserves. */
export function say(value: number | null | undefined, measure: Pick<Measure, 'unit'>): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  if (measure.unit === '%') return `${short(value * 100)} %`
  return measure.unit ? `${short(value)} ${measure.unit}` : short(value)
}

/** Three significant digits, all of a larger whole number. */
export function short(x: number): string {
  const size = Math.abs(x)
  if (size >= 100) return plain(Math.round(x))
  if (size === 0) return '0'
  if (size < 0.001) return plain(Number(x.toPrecision(2)))
  const decimals = size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4
  return x.toFixed(decimals)
}

/** Mean and half the width of its interval: "6.08", "0.42". */
export function spread(mean: number, half: number | null, measure: Pick<Measure, 'unit'>): [string, string] {
  const k = measure.unit === '%' ? 100 : 1
  return [short(mean * k), half === null ? '' : shortLike(half * k, mean * k)]
}

/** With as many decimals as another number has. */
function shortLike(x: number, model: number): string {
  const decimals = (short(model).split('.')[1] ?? '').length
  return x.toFixed(decimals)
}

export const heading = (measure: Measure): string =>
  `${sentence(measure.title)}${measure.unit && measure.unit !== '%' ? ` (${measure.unit})` : ''}`

/** Keeps numbers with the word before them and the unit behind them, where lines break. */
export const unbroken = (text: string): string => text.replace(/ (?=[%\d])/g, '\u00a0')
