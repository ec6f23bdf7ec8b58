/** Forms for the generated networks; the ranges are the document's, the server has the last word. */
import type { Topology } from './scenario'

export interface Field {
  name: string
  title: string
  unit?: string
  lo: number
  hi: number
  start: number
  whole?: boolean
}

export interface Generator {
  kind: string
  title: string
  summary: string
  fields: Field[]
}

const n = (start: number, lo = 1): Field => ({
  name: 'n',
  title: 'Nodes',
  lo,
  hi: 20_000,
  start,
  whole: true,
})
const degree: Field = {
  name: 'mean_degree',
  title: 'Mean degree',
  unit: 'links per node',
  lo: 0.1,
  hi: 1000,
  start: 8,
}

export const GENERATORS: readonly Generator[] = [
  {
    kind: 'geometric',
    title: 'Random geometric',
    summary: 'Nodes scattered over a square hear each other within a range: what a radio network looks like.',
    fields: [n(100), degree],
  },
  {
    kind: 'gnp',
    title: 'Random',
    summary: 'Every pair of nodes is linked with the same probability, as in most of the papers.',
    fields: [n(100), degree],
  },
  {
    kind: 'grid',
    title: 'Grid',
    summary: 'Rows and columns, each node linked to the ones beside, above and below.',
    fields: [
      { name: 'rows', title: 'Rows', lo: 1, hi: 20_000, start: 8, whole: true },
      { name: 'cols', title: 'Columns', lo: 1, hi: 20_000, start: 12, whole: true },
    ],
  },
  {
    kind: 'zones',
    title: 'Zones',
    summary: 'Z × Z routers in a grid, clients linked to the router of their zone.',
    fields: [
      { name: 'Z', title: 'Zones a side', lo: 1, hi: 141, start: 5, whole: true },
      { name: 'clients', title: 'Clients', lo: 0, hi: 20_000, start: 50, whole: true },
    ],
  },
  { kind: 'line', title: 'Line', summary: 'Nodes in a row: the deepest tree.', fields: [n(20)] },
  {
    kind: 'ring',
    title: 'Circle',
    summary: 'Nodes in a circle: one link too many for a tree.',
    fields: [n(24, 3)],
  },
  { kind: 'star', title: 'Star', summary: 'One centre and leaves: the flattest tree.', fields: [n(24, 2)] },
]

/** Beyond this, JavaScript no longer tells whole numbers apart. */
export const SEED = { lo: 0, hi: 2 ** 53 - 1, whole: true }

/** What is wrong with a value, in words; null: nothing. */
export function check(
  field: Pick<Field, 'lo' | 'hi' | 'whole'>,
  value: number | null | undefined,
): string | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return 'a number is needed'
  if (field.whole && !Number.isInteger(value)) return 'a whole number is needed'
  if (value < field.lo || value > field.hi) return `allowed: ${plain(field.lo)} to ${plain(field.hi)}`
  return null
}

const plain = (x: number): string => x.toLocaleString('en-GB', { maximumFractionDigits: 6 })

export function topologyOf(generator: Generator, values: Readonly<Record<string, number | null>>): Topology {
  const options = generator.fields.map((field) => [field.name, values[field.name] ?? field.start])
  return { kind: generator.kind, ...Object.fromEntries(options) }
}
