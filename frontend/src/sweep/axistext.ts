/** Values of an axis as a line of text: "8, 16, 30", "8…30 step 2", "10…1000 in 5 values, log" (or "times 10"). */
import { lengthOf, plain, saidOf } from './document'
import type { CountAxis, PlainAxis, StepAxis, Value } from './document'

/** What values must keep to. */
export interface Limits {
  lo: number
  hi: number
  /** `lo` itself is not allowed. */
  open?: boolean
  whole?: boolean
}

export type Read = { axis: PlainAxis } | { wrong: string }

const NUMBER = String.raw`[-+]?(?:\d+(?:,\d{3}(?!\d))*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?`
const RANGE = new RegExp(
  String.raw`^(${NUMBER})\s*(?:…|\.{2,3}|–|\bto\b)\s*(${NUMBER})(?:\s*,?\s*(?:(step|by|times)\s*(${NUMBER})|in\s+(\d+)(?:\s*(?:values|steps))?))?(?:\s*,?\s*(log|logarithmic|linear))?$`,
  'i',
)
/** "1,000" is a thousand only where the comma groups three digits and no blank follows. */
const numberOf = (text: string): number => Number(text.replace(/,(?=\d{3}\b)/g, ''))

export const MOST_VALUES = 1_000_000

/** Reads numbers; a range without a step or a count has eleven values at most. */
export function readAxis(path: string, text: string, limits: Limits): Read {
  const given = text.trim()
  if (!given) return { wrong: 'values are needed, as in 8, 16, 30 or 8…30 step 2' }
  const range = RANGE.exec(given)
  return range ? readRange(path, range, limits) : readList(path, given, limits)
}

function readList(path: string, text: string, limits: Limits): Read {
  const words = text.split(text.includes(';') ? /\s*;\s*/ : /\s*,\s+|\s+|,(?!\d{3}\b)/).filter(Boolean)
  const values = words.map(numberOf)
  const odd = words.find((_, i) => !Number.isFinite(values[i]))
  if (odd !== undefined)
    return { wrong: `“${odd}” is not a number; write 8, 16, 30 or 8…30 step 2, or 1…1000 in 4 values, log` }
  const twice = values.find((v, i) => values.indexOf(v) !== i)
  if (twice !== undefined) return { wrong: `${plain(twice)} is there twice` }
  const wrong = values.map((v) => outside(v, limits)).find(Boolean)
  return wrong ? { wrong } : { axis: { path, values } }
}

function readRange(
  path: string,
  [, a = '', b = '', how, by, many, kind]: RegExpExecArray,
  limits: Limits,
): Read {
  const [from, to] = [numberOf(a), numberOf(b)]
  const wrong = outside(from, limits) ?? outside(to, limits)
  if (wrong) return { wrong }
  if (to < from) return { wrong: `the range is empty: ${plain(from)} is more than ${plain(to)}` }
  const times = how?.toLowerCase() === 'times'
  const log = times || (kind !== undefined && kind.toLowerCase() !== 'linear')
  if (log && from <= 0) return { wrong: 'a logarithmic range starts above 0' }
  if (by !== undefined) {
    const step = numberOf(by)
    if (times)
      return step > 1 ? fair({ path, from, to, step, scale: 'log' }) : { wrong: 'a factor is more than 1' }
    if (log)
      return { wrong: 'a logarithmic range has a factor or a number of values: 10…1000 in 5 values, log' }
    if (!(step > 0)) return { wrong: 'a step is more than 0' }
    if (limits.whole && !Number.isInteger(step)) return { wrong: 'whole numbers need a whole step' }
    return fair({ path, from, to, step })
  }
  const count = many === undefined ? usual(from, to, limits, log) : Number(many)
  if (count < 1 || (count < 2 && to > from)) return { wrong: 'a range has two values or more' }
  if (limits.whole) return { axis: { path, values: wholes(from, to, count, log) } }
  return fair({ path, from, to, count, ...(log ? { scale: 'log' as const } : {}) })
}

function fair(axis: StepAxis | CountAxis): Read {
  const n = lengthOf(axis)
  if (n > MOST_VALUES) return { wrong: `${plain(n)} values are too many; at most ${plain(MOST_VALUES)}` }
  return { axis }
}

function usual(from: number, to: number, { whole }: Limits, log: boolean): number {
  if (from === to) return 1
  return log ? 5 : whole ? Math.min(11, to - from + 1) : 11
}

/** A count of values need not fall on whole numbers: the nearest ones then, each once. */
function wholes(from: number, to: number, count: number, log: boolean): number[] {
  const n = Math.min(count, to - from + 1)
  const at = (u: number): number => (log ? from * (to / from) ** u : from + u * (to - from))
  const all = Array.from({ length: n }, (_, i) => Math.round(at(n > 1 ? i / (n - 1) : 0)))
  return [...new Set(all)]
}

function outside(value: number, { lo, hi, open, whole }: Limits): string | null {
  if (whole && !Number.isInteger(value)) return `${plain(value)} is not a whole number`
  if (value >= lo && value <= hi && !(open && value === lo)) return null
  const from = Number.isFinite(lo) ? `${open ? 'above ' : ''}${plain(lo)}` : 'any number'
  return `${plain(value)} is not allowed: ${Number.isFinite(hi) ? `${from} to ${plain(hi)}` : `${from} or more`}`
}

/** An axis as one would write it. */
export function writeAxis(axis: PlainAxis): string {
  if ('values' in axis) return axis.values.map((v, i) => axis.labels?.[i] ?? written(v)).join(', ')
  const range = `${plain(axis.from)}…${plain(axis.to)}`
  if ('step' in axis) return `${range} ${axis.scale === 'log' ? 'times' : 'step'} ${plain(axis.step)}`
  return `${range} in ${axis.count} values${axis.scale === 'log' ? ', log' : ''}`
}

const written = (v: Value): string => (typeof v === 'number' ? plain(v) : saidOf(v))

/** Short: the text of a few values, else how many there are. */
export function glance(axis: PlainAxis, most = 22): string {
  const text = writeAxis(axis)
  if (!('values' in axis) || text.length <= most) return text
  const numeric = axis.values.every((v) => typeof v === 'number')
  if (!numeric) return `${axis.values.length} values`
  return `${written(axis.values[0] ?? '')}…${written(axis.values.at(-1) ?? '')}, ${axis.values.length} values`
}
