/** The axes of a sweep as directions of a chart, and their values in words. */
import { isWhole } from './fields'
import { isZip, labelOf, lengthOf, plain, plainAxes, saidOf, valuesOf } from './document'
import type { Axis, PlainAxis, Value } from './document'
import { ordered } from './wholes'

/** One axis of the sweep as a direction of a chart. */
export interface Dimension {
  /** Path of the (first) field. */
  key: string
  title: string
  /** What changes in step with it. */
  along: string[]
  unit: string
  numeric: boolean
  /** As rows have them: objects by their label. */
  values: (string | number)[]
  /** As people read them. */
  names: string[]
}

type Title = (path: string) => { title: string; unit: string }

export function dimensionsOf(axes: readonly Axis[], title: Title): Dimension[] {
  return axes.flatMap((axis) => {
    const [first, ...others] = plainAxes(axis)
    if (!first) return []
    const n = isZip(axis) ? lengthOf(axis) : Infinity
    const raw = valuesOf(first).slice(0, n)
    const own = toldApart(
      raw,
      raw.map((_, i) => labelOf(first, i)),
    )
    const values = inRows(first, raw)
    const { title: name, unit } = title(first.path)
    const rounded = 'values' in first ? own : brief(raw, own)
    const names = rounded.map((text, i) =>
      [text, ...others.map((o) => `with ${title(o.path).title.toLowerCase()} ${labelOf(o, i)}`)].join(' '),
    )
    return {
      key: first.path,
      title: name,
      along: others.map(({ path }) => title(path).title.toLowerCase()),
      unit,
      numeric: raw.every((v) => typeof v === 'number') && !('labels' in first && first.labels),
      values,
      names,
    }
  })
}

/** Values as the rows of results have them: plain ones of one type as they are, others by label, name or JSON. */
function inRows(axis: PlainAxis, raw: readonly Value[]): (string | number)[] {
  if ('labels' in axis && axis.labels) return raw.map((v, i) => axis.labels?.[i] ?? spelled(v))
  const types = new Set(raw.map((v) => typeof v))
  if (types.size === 1 && !types.has('object'))
    return raw.map((v) => (typeof v === 'number' || typeof v === 'string' ? v : spelled(v)))
  const names = raw.map((v) => (typeof v === 'object' && 'name' in v ? String(v['name']) : ordered(v)))
  return new Set(names).size === names.length ? names : raw.map(ordered)
}

/** Objects that go by one name say in what they differ: "line, n 5". */
function toldApart(raw: readonly Value[], names: readonly string[]): string[] {
  const objects = raw.filter((v) => typeof v === 'object')
  const differing = [...new Set(objects.flatMap((v) => Object.keys(v)))].filter(
    (key) => new Set(objects.map((v) => ordered(v[key]))).size > 1,
  )
  return names.map((name, i) => {
    const value = raw[i]
    if (typeof value !== 'object' || names.indexOf(name) === names.lastIndexOf(name)) return name
    const told = differing.filter((key) => key in value && saidOf(value[key]) !== name)
    return [name, ...told.map((key) => `${key.replaceAll('_', ' ')} ${saidOf(value[key])}`)].join(', ')
  })
}

/** Values that a range came to, in four digits where that tells them apart. */
function brief(raw: readonly unknown[], names: readonly string[]): string[] {
  const short = raw.map((v, i) =>
    typeof v === 'number' ? plain(Number(v.toPrecision(4))) : (names[i] ?? ''),
  )
  return new Set(short).size === short.length ? short : [...names]
}

/** Names that stand alone: numbers say what they are of. */
export const alone = (dim: Dimension): string[] =>
  dim.names.map((name, i) => (dim.numeric ? said(dim, i) : name))

/** 0.30000000000000004 and 0.3 are one value, and so are a label and itself. */
export const spelled = (value: unknown): string =>
  typeof value === 'number'
    ? String(Number(value.toPrecision(9)))
    : typeof value === 'boolean'
      ? value
        ? 'on'
        : 'off'
      : String(value)

/** Names of a point's values in a row: "Mean degree 16, PSVR". */
export function nameOf(values: Readonly<Record<string, unknown>>, dims: readonly Dimension[]): string {
  return dims
    .filter(({ key }) => key in values)
    .map((dim) => {
      const at = dim.values.findIndex((v) => spelled(v) === spelled(values[dim.key]))
      return said(dim, at, String(values[dim.key]))
    })
    .join(', ')
}

/** "mean degree 16", but a protocol, a network or a radio by its name alone. */
export function said(dim: Dimension, at: number, otherwise = ''): string {
  const name = dim.names[at] ?? otherwise
  return isWhole(dim.key) ? name : `${dim.title.toLowerCase()} ${name}`
}
