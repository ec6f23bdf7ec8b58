/** What of a scenario can be varied: every field of its document with its range, found from the schema and the protocol. */
import { words } from '../describe'
import { sentence } from '../format'
import { SEED } from '../generators'
import type { Scenario } from '../scenario'
import { fieldsOf, resolve, variants } from '../schema'
import type { Schema, SchemaField } from '../schema'
import type { CatalogueEntry, Param, Protocol } from '../wire.gen'
import { saidOf, valueAt } from './document'
import type { ListAxis, PlainAxis, Value } from './document'
import { alike, networkOptions, radioOptions } from './wholes'

export interface Option {
  value: Value
  label: string
  /** What one should know before choosing it. */
  note?: string
  /** One of those to begin with, where these are not all. */
  usual?: boolean
}

/** A field of the document that an axis can go along. */
export interface Vary {
  path: string
  title: string
  group: string
  unit: string
  kind: 'number' | 'options'
  lo: number
  hi: number
  open: boolean
  whole: boolean
  /** What it may be, where that is a choice. */
  options: Option[]
  /** What the base scenario has; undefined: nothing. */
  base: unknown
  help: string
}

const TITLES: Record<string, string> = {
  n: 'Nodes',
  Z: 'Zones a side',
  cols: 'Columns',
  mean_degree: 'Mean degree',
  zipf: 'Zipf exponent',
  t: 'Time',
  loss: 'Loss',
  topology: 'Network',
}
const UNITS: Record<string, string> = { mean_degree: 'links per node', t: 's' }
/** Drawn from the seeds of the sweep, or what makes an object what it is. */
const NOT = new Set(['seed', 'kind', 'allow_disconnected'])
const MOST_EVENTS = 40

const NUMBERS = {
  kind: 'number',
  unit: '',
  lo: -Infinity,
  hi: Infinity,
  open: false,
  whole: false,
  options: [],
  help: '',
} as const

/** All fields, the network first. `networks`: those there are to choose from. */
export function fieldsToVary(
  base: Scenario,
  schema: Schema,
  protocols: readonly Protocol[],
  networks: readonly CatalogueEntry[] = [],
): Vary[] {
  const protocol = protocols.find((p) => p.name === base.protocol.name)
  const part = (property: string, name: string): SchemaField[] =>
    variants(schema, schema.properties?.[property]).find((v) => v.name === name)?.fields ?? []
  const workload = resolve(schema, 'Workload')
  const radio = (base['radio'] as { kind?: string } | undefined)?.kind ?? 'ideal'
  const busy = typeof base['workload'] === 'object' && base['workload'] !== null
  return [
    whole('topology', 'Network', networkOptions(base, networks), NETWORKS_HELP),
    ...fields('topology', 'Network', part('topology', base.topology.kind), base),
    ...(protocols.length > 1 ? [protocolField(base, protocols)] : []),
    ...(protocol?.params ?? []).flatMap((p) => paramField(p, protocol?.layers ?? [], base) ?? []),
    whole('radio', 'Radio', radioOptions(base, schema, networks), RADIOS_HELP),
    ...fields('radio', 'Radio', part('radio', radio), base),
    ...(busy ? fields('workload', 'Traffic', fieldsOf(workload), base) : []),
    ...events(base, schema),
    ...fields(
      '',
      'Run',
      fieldsOf(schema).filter(({ name }) => name === 'duration_s'),
      base,
    ),
  ]
}

function fields(at: string, group: string, found: readonly SchemaField[], base: Scenario): Vary[] {
  return found.flatMap((field) => {
    const path = at ? `${at}.${field.name}` : field.name
    const given = valueAt(base, path)
    // Of a network given by its degree, the range follows; and the other way round.
    const unset = field.optional && (given === undefined || given === null)
    if (NOT.has(field.name) || (unset && group !== 'Traffic')) return []
    return [asVary(field, path, group, given)]
  })
}

function asVary(field: SchemaField, path: string, group: string, given: unknown): Vary {
  const { kind, lo, hi, open, help } = field
  const options =
    kind === 'choice'
      ? field.choices.map((value) => ({ value, label: value.replaceAll('-', ' ') }))
      : kind === 'flag'
        ? [false, true].map((value) => ({ value, label: saidOf(value) }))
        : []
  return {
    path,
    title: TITLES[field.name] ?? field.title,
    group,
    unit: UNITS[field.name] ?? field.unit,
    kind: options.length ? 'options' : 'number',
    lo,
    hi,
    open,
    whole: field.whole || kind === 'nodes',
    options,
    base: given ?? field.start,
    help,
  }
}

const NETWORKS_HELP =
  'Whole networks: those that ship with Ringcast, and generated ones of this size, a new one for every seed. Nodes that the scenario names must be in each.'
const RADIOS_HELP = 'Whole radios. The protocol keeps its timers, so choose them for the slowest.'

/** A part of the document as a whole; its fields are on the list as well. */
function whole(path: string, title: string, options: Option[], help: string): Vary {
  const base = options[0]?.value
  return { ...NUMBERS, path, title, group: title, kind: 'options', options, base, help }
}

function protocolField(base: Scenario, protocols: readonly Protocol[]): Vary {
  const own = base.protocol
  return {
    ...NUMBERS,
    path: 'protocol',
    title: 'Protocol',
    group: 'Protocol',
    kind: 'options',
    // The base scenario's own keeps the parameters it has there.
    options: protocols.map(({ name, title }) => ({
      value: name === own.name && own.params ? { name, params: own.params } : { name },
      label: title,
    })),
    base: own,
    help: 'Each on the same networks, with the same faults.',
  }
}

function paramField(p: Param, layers: Protocol['layers'], base: Scenario): Vary | null {
  if (p.kind === 'node') return null
  const layer = layers.find(({ name }) => name === p.layer)?.title ?? ''
  return {
    path: `protocol.params.${p.name}`,
    title: p.title,
    group: 'Protocol',
    unit: p.unit,
    kind: p.kind === 'choice' ? 'options' : 'number',
    lo: p.lo,
    hi: p.hi,
    open: false,
    whole: p.kind === 'int',
    options: p.choices.map(({ value }) => ({ value, label: value.replaceAll('-', ' ') })),
    base: base.protocol.params?.[p.name] ?? p.default,
    help: [layer && `${layer}.`, p.help].filter(Boolean).join(' '),
  }
}

/** Numbers of the scenario's own events: when something happens, how much of it. */
function events(base: Scenario, schema: Schema): Vary[] {
  const mapping = Object.fromEntries(
    variants(schema, { discriminator: eventKinds(schema) }).map(({ name, fields: found }) => [name, found]),
  )
  return (base.events ?? []).slice(0, MOST_EVENTS).flatMap((event, i) =>
    (mapping[event.do] ?? [])
      .filter(
        ({ name, kind, optional }) => kind === 'number' && !NOT.has(name) && !(optional && !(name in event)),
      )
      .map((field): Vary => {
        const made = asVary(field, `events.${i}.${field.name}`, 'Events', valueAt(event, field.name))
        return { ...made, title: `${made.title}: ${words(event, (id) => id).label}` }
      }),
  )
}

type Discriminator = NonNullable<Schema['discriminator']>
function eventKinds(schema: Schema): Discriminator {
  return schema.properties?.['events']?.items?.discriminator ?? { mapping: {}, propertyName: 'do' }
}

/** What a search finds: every word somewhere in what the field is called. */
export function searched(all: readonly Vary[], text: string): Vary[] {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter((field) => {
    const about = `${field.title} ${field.group} ${field.path} ${field.unit}`.toLowerCase()
    return asked.every((word) => about.includes(word))
  })
}

/** A first axis along a field: around what the base scenario has, or everything there is to choose from. */
export function offer(field: Vary): PlainAxis {
  const { path, options, base } = field
  if (field.kind === 'options') {
    const usual = options.filter((o) => o.usual)
    return chosenOf(path, usual.length > 1 ? usual : options)
  }
  const fits = (x: number): boolean => x >= field.lo && x <= field.hi && !(field.open && x === field.lo)
  const now = typeof base === 'number' && base > 0 ? base : field.whole ? 4 : (Math.min(field.hi, 1) || 1) / 5
  const tidy = (x: number): number => (field.whole ? Math.round(x) : Number(x.toPrecision(2)))
  const values = [...new Set([now / 2, now, now * 2, now * 4].map(tidy))].filter(fits)
  return { path, values: values.length ? values : [now] }
}

export const chosenOf = (path: string, options: readonly Option[]): ListAxis => ({
  path,
  values: options.map(({ value }) => value),
  labels: options.map(({ label }) => label),
})

/** Whether a value of an axis is this option: a protocol whatever its parameters, else exactly this. */
export const isOption = (path: string, { value }: Option, given: unknown): boolean =>
  path === 'protocol' ? saidOf(value) === saidOf(given) : alike(value, given)

/**
 * What there is to choose along an axis: what is offered, with the values and labels that the axis has for it already,
 * and what the axis has besides. A value may be written in another way than it is offered, and keep its label.
 */
export function choicesOf(axis: PlainAxis, offered: readonly Option[]): (Option & { on: boolean })[] {
  if (!('values' in axis) || !offered.length) return []
  const left = axis.values.map((value, i) => ({ value, label: axis.labels?.[i] }))
  const found = offered.map((option) => {
    const named = left.findIndex(({ label }) => label === option.label)
    const at = named < 0 ? left.findIndex(({ value }) => isOption(axis.path, option, value)) : named
    const [own] = at < 0 ? [] : left.splice(at, 1)
    return own
      ? { ...option, value: own.value, label: own.label ?? option.label, on: true }
      : { ...option, on: false }
  })
  return [...found, ...left.map(({ value, label }) => ({ value, label: label ?? saidOf(value), on: true }))]
}

/** Parts of the document with more inside: their axis comes before those along what is inside. */
export const isWhole = (path: string): boolean => ['topology', 'radio', 'protocol'].includes(path)

/** What an axis is called and how its values are written, with or without a known field. */
export function titled(path: string, all: readonly Vary[]): { title: string; unit: string } {
  const field = all.find((f) => f.path === path)
  if (field) return field
  const name = path.split('.').at(-1) ?? path
  return { title: TITLES[name] ?? sentence(name.replaceAll('_', ' ')), unit: UNITS[name] ?? '' }
}

export const SEEDS = { lo: 1, hi: 1_000_000, whole: true }
export const FIRST_SEED = SEED
