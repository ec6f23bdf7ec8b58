/** Whole parts of a scenario that an axis can go along, the network and the radio: which there are to choose from. */
import { count, many } from '../format'
import { GENERATORS } from '../generators'
import { PRESETS, radioName, radioOf } from '../radio'
import type { Scenario, Topology } from '../scenario'
import { valuesOf, variants } from '../schema'
import type { Schema } from '../schema'
import type { CatalogueEntry } from '../wire.gen'
import type { Option } from './fields'

/** JSON in which the order of an object's fields is not told. */
export const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** Whether two values of a document are one. */
export const alike = (a: unknown, b: unknown): boolean => a === b || ordered(a) === ordered(b)

/** The scenario's own first; what is the same, or goes by the same name, gives way to it. */
function withOwn(own: Option, others: readonly Option[]): Option[] {
  return [own, ...others.filter((o) => o.label !== own.label && !alike(o.value, own.value))]
}

// --- networks

/** How many nodes a network has, as far as its document tells; 0: it does not. */
export function sizeOf(topology: Topology, networks: readonly CatalogueEntry[]): number {
  const number = (name: string): number => (typeof topology[name] === 'number' ? topology[name] : 0)
  if (number('n')) return number('n')
  if (topology.kind === 'builtin') return networks.find(({ name }) => name === topology.name)?.nodes ?? 0
  if (Array.isArray(topology['nodes'])) return topology['nodes'].length
  return number('rows') * number('cols') + number('Z') ** 2 + number('clients')
}

/** Networks of the catalogue as they are, and one of every kind that can be made, as large as the scenario's. */
export function networkOptions(base: Scenario, networks: readonly CatalogueEntry[]): Option[] {
  const { topology } = base
  const n = sizeOf(topology, networks) || 100
  const given = topology['mean_degree']
  const degree = Math.min(n - 1, typeof given === 'number' ? given : Math.max(8, Math.ceil(Math.log(n) + 4)))
  const made = GENERATORS.flatMap((g): Option[] => {
    const value = madeOf(g.kind, n, degree)
    const note = value && 'mean_degree' in value ? `degree ${count(degree)}` : many(n, 'node')
    return value ? [{ value, label: g.title, note, usual: USUAL.has(g.kind) }] : []
  })
  const there = networks.map((entry): Option => {
    const { name, title, nodes, components, range_m } = entry
    const parts = components > 1 ? `, ${count(components)} parts` : ''
    const value = { kind: 'builtin', name, ...(range_m === null ? {} : { range_m }) }
    return { value, label: title, note: `${many(nodes, 'node')}${parts}` }
  })
  const known = topology.kind === 'builtin' ? networks.find(({ name }) => name === topology.name) : undefined
  const title = known?.title ?? GENERATORS.find(({ kind }) => kind === topology.kind)?.title
  const label = title ?? (base.name || 'Its own network')
  return withOwn({ value: topology, label, note: 'its own', usual: true }, [...made, ...there])
}

/** What one looks at first beside one's own: a radio's, chance alone, and none of either. */
const USUAL = new Set(['geometric', 'gnp', 'grid'])

/** A generated network of n nodes; null: there is none so small. */
function madeOf(kind: string, n: number, degree: number): Topology | null {
  switch (kind) {
    case 'geometric':
    case 'gnp':
      return degree > 0 ? { kind, n, mean_degree: degree } : null
    case 'zones': {
      const Z = Math.max(1, Math.round(Math.sqrt(n) / 2))
      return { kind, Z, clients: n - Z * Z }
    }
    case 'ring':
      return n > 2 ? { kind, n } : null
    case 'star':
      return n > 1 ? { kind, n } : null
    default:
      return { kind, n }
  }
}

// --- radios

/** The radios that have a name; what they leave out has the document's default. */
export function radioOptions(base: Scenario, schema: Schema, networks: readonly CatalogueEntry[]): Option[] {
  const own = radioOf(base)
  const fields = variants(schema, schema.properties?.['radio']).find(({ name }) => name === own.kind)?.fields
  const label = radioName(own, valuesOf(fields ?? [], {}))
  const metric = inMetres(base.topology, networks)
  return withOwn(
    { value: own, label, note: 'its own', usual: true },
    PRESETS.map(({ name, title, radio }) => {
      const distant = radio.kind === 'log-distance'
      return {
        value: radio,
        label: title,
        usual: name === 'unit-disk' || (name === 'cc2420' && metric),
        ...(distant && !metric ? { note: 'needs metres' } : {}),
      }
    }),
  )
}

/** Whether the network has its positions in metres, so that a radio can tell how far things are. */
function inMetres(topology: Topology, networks: readonly CatalogueEntry[]): boolean {
  const { kind, name } = topology
  if (kind === 'builtin') return networks.some((entry) => entry.name === name && entry.range_m !== null)
  return kind === 'geometric' || kind === 'zones' || typeof topology['range_m'] === 'number'
}
