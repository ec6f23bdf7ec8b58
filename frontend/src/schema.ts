/**
 * Forms from the JSON schemas of the documents (GET /api/schemas/…): ranges, choices, defaults and helps are the server's,
 * so a field that a document gets is on the page as well.
 */
import { sentence } from './format'
import type { Field } from './generators'

/** What a schema says, as far as forms read it. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  title?: string
  description?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  discriminator?: { mapping: Record<string, string>; propertyName: string }
  $ref?: string
  $defs?: Record<string, Schema>
}

export interface SchemaField extends Omit<Field, 'start'> {
  /** `nodes`: how many nodes, or which share of them. */
  kind: 'number' | 'flag' | 'choice' | 'nodes'
  unit: string
  /** `lo` itself is not allowed. */
  open: boolean
  whole: boolean
  /** May be left empty. */
  optional: boolean
  choices: string[]
  start: unknown
  help: string
}

/** How many nodes, or which share of all. */
export type Chosen = number | { share: number }

/** Units by how a name ends; the longer endings first. */
const UNITS: [string, string][] = [
  ['_per_s', '/s'],
  ['_s', 's'],
  ['_dbm', 'dBm'],
  ['_db', 'dB'],
  ['_bps', 'bit/s'],
  ['_bytes', 'bytes'],
  ['_hz', 'Hz'],
  ['_m', 'm'],
]

/** Words that a document shortens. */
const SPELLED: Record<string, string> = {
  tx: 'transmit power',
  acks: 'acknowledgements',
  ack: 'acknowledgement',
  cca: 'clear channel',
  zipf: 'Zipf exponent',
}

/** `carrier_sense_dbm` as "Carrier sense" and "dBm". */
export function titleOf(name: string): { title: string; unit: string } {
  const [ending, unit] = UNITS.find(([end]) => name.endsWith(end)) ?? ['', '']
  const words = name.slice(0, name.length - ending.length).split('_')
  const title = words.map((word) => SPELLED[word] ?? word).join(' ')
  return { title: sentence(title), unit }
}

/** The fields of an object that a form can ask for; others, such as lists and constants, keep their defaults. */
export function fieldsOf(object: Schema | undefined): SchemaField[] {
  return Object.entries(object?.properties ?? {}).flatMap(([name, schema]) => fieldOf(name, schema) ?? [])
}

function fieldOf(name: string, whole: Schema): SchemaField | null {
  const branches = whole.anyOf?.filter((s) => s.type !== 'null') ?? [whole]
  const schema = { ...whole, ...branches[0] }
  const optional = branches.length < (whole.anyOf?.length ?? 1)
  const kind = kindOf(schema, branches)
  if (!kind || schema.const !== undefined) return null
  const text = schema.description ?? ''
  return {
    name,
    ...titleOf(name),
    kind,
    lo: schema.exclusiveMinimum ?? schema.minimum ?? (kind === 'nodes' ? 1 : -Infinity),
    hi: schema.maximum ?? Infinity,
    open: schema.exclusiveMinimum !== undefined,
    whole: schema.type === 'integer',
    optional,
    choices: (schema.enum ?? []).map(String),
    start: whole.default,
    help: text && `${sentence(text)}${/[.!?…]$/.test(text) ? '' : '.'}`,
  }
}

function kindOf(schema: Schema, branches: Schema[]): SchemaField['kind'] | null {
  if (branches.length > 1) return branches[0]?.type === 'integer' ? 'nodes' : null
  if (schema.enum) return 'choice'
  if (schema.type === 'boolean') return 'flag'
  return schema.type === 'number' || schema.type === 'integer' ? 'number' : null
}

/** One of the things a property may be: its name among them, what it is, what it asks for. */
export interface Variant {
  name: string
  about: string
  fields: SchemaField[]
}

/** What a property told apart by a field such as `kind` may be. */
export function variants(schema: Schema, property: Schema | undefined): Variant[] {
  return Object.entries(property?.discriminator?.mapping ?? {}).map(([name, ref]) => {
    const found = resolve(schema, ref)
    return { name, about: found?.description ?? '', fields: fieldsOf(found) }
  })
}

export const resolve = (schema: Schema, ref: string): Schema | undefined =>
  schema.$defs?.[ref.slice(ref.lastIndexOf('/') + 1)]

/** What is wrong with a value, in words; null: nothing. */
export function checkField(field: SchemaField, value: unknown): string | null {
  if (field.kind === 'flag' || field.kind === 'choice') return null
  if (value === null || value === undefined) return field.optional ? null : 'a number is needed'
  if (field.kind === 'nodes' && typeof value === 'object') {
    const share = (value as { share: number }).share
    return share > 0 && share <= 1 ? null : 'allowed: above 0 to 100 %'
  }
  const { lo, hi, open, whole } = field
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number is needed'
  if (whole && !Number.isInteger(value)) return 'a whole number is needed'
  if (value < lo || value > hi || (open && value === lo)) return `allowed: ${rangeOf(field)}`
  return null
}

const plain = (x: number): string =>
  Math.abs(x) >= 1e7
    ? x.toExponential(0).replace('e+', 'e')
    : x.toLocaleString('en-GB', { maximumFractionDigits: 6 })

/** "0 to 1", "above 0 to 1,000" */
export function rangeOf({ lo, hi, open }: SchemaField): string {
  if (!Number.isFinite(hi)) return Number.isFinite(lo) ? `${plain(lo)} or more` : 'any number'
  return `${open ? 'above ' : ''}${plain(lo)} to ${plain(hi)}`
}

/** The fields' values: what is given, else the default. */
export function valuesOf(
  fields: readonly SchemaField[],
  given: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, given[field.name] ?? field.start ?? null]))
}

/** What of the values goes into a document: those that are not the default, nor left empty. */
export function changed(
  fields: readonly SchemaField[],
  values: Record<string, unknown>,
): Record<string, unknown> {
  const kept = fields.filter(({ name, start }) => {
    const value = values[name]
    return value !== null && value !== undefined && value !== start
  })
  return Object.fromEntries(kept.map(({ name }) => [name, values[name]]))
}
