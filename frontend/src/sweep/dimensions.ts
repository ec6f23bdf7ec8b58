/** The axes of a sweep as directions of a chart, and their values in words. */
import { isZip, labelOf, lengthOf, plain, plainAxes, valuesOf } from './document'
import type { Axis } from './document'

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
    const own = raw.map((_, i) => labelOf(first, i))
    const values = raw.map((v, i) => (typeof v === 'number' ? v : typeof v === 'string' ? v : (own[i] ?? '')))
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

/** "mean degree 16", but a protocol by its name alone. */
export function said(dim: Dimension, at: number, otherwise = ''): string {
  const name = dim.names[at] ?? otherwise
  return dim.key === 'protocol' ? name : `${dim.title.toLowerCase()} ${name}`
}
