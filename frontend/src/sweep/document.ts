/** The sweep document as the page writes and reads it; the server checks it in full. */
import type { Scenario } from '../scenario'

export type Value = number | string | boolean | Record<string, unknown>

export interface ListAxis {
  path: string
  values: Value[]
  /** What the values are called, in their order. */
  labels?: string[]
}
export interface StepAxis {
  path: string
  from: number
  to: number
  /** What is added each time; on a logarithmic scale what is multiplied by. */
  step: number
  scale?: 'linear' | 'log'
}
export interface CountAxis {
  path: string
  from: number
  to: number
  count: number
  scale?: 'linear' | 'log'
}
export type PlainAxis = ListAxis | StepAxis | CountAxis
/** Several axes in step: the first values together, the second values together, … */
export interface ZipAxis {
  zip: PlainAxis[]
}
export type Axis = PlainAxis | ZipAxis

export interface SweepDocument {
  version: 1
  name: string
  base: Scenario
  axes: Axis[]
  repetitions: number
  first_seed: number
  /** Path of the axis whose values are compared in pairs. */
  compare?: string
  /** Columns to keep; empty: what suits the protocol. */
  metrics: string[]
  method?: string
  timeout_s?: number
}

export const isZip = (axis: Axis): axis is ZipAxis => 'zip' in axis

export const plainAxes = (axis: Axis): PlainAxis[] => (isZip(axis) ? axis.zip : [axis])

export const pathsOf = (axes: readonly Axis[]): string[] =>
  axes.flatMap((axis) => plainAxes(axis).map(({ path }) => path))

/** A step that does not quite reach the end by rounding still does: 0 … 0.3 step 0.05 has seven values. */
const SLACK = 1e-9

/** How many values an axis has. */
export function lengthOf(axis: Axis): number {
  if (isZip(axis)) return Math.min(...axis.zip.map(lengthOf))
  if ('values' in axis) return axis.values.length
  if ('count' in axis) return axis.count
  const steps =
    axis.scale === 'log'
      ? Math.log(axis.to / axis.from) / Math.log(axis.step)
      : (axis.to - axis.from) / axis.step
  return Math.floor(steps + SLACK) + 1
}

/** Rounds away what binary fractions add: 0.15000000000000002 is 0.15. */
const tidy = (x: number): number => Number(x.toPrecision(12))

/** The values of an axis, at most `most` of them. */
export function valuesOf(axis: PlainAxis, most = 1000): Value[] {
  if ('values' in axis) return axis.values.slice(0, most)
  const n = Math.min(most, lengthOf(axis))
  const at = (i: number): number => {
    if ('step' in axis) return axis.scale === 'log' ? axis.from * axis.step ** i : axis.from + i * axis.step
    const u = axis.count > 1 ? i / (axis.count - 1) : 0
    if (axis.scale !== 'log') return axis.from + u * (axis.to - axis.from)
    return axis.from * (axis.to / axis.from) ** u
  }
  return Array.from({ length: Math.max(0, n) }, (_, i) => tidy(at(i)))
}

/** Points of the grid: axes are crossed. */
export const pointsOf = (axes: readonly Axis[]): number => axes.reduce((n, axis) => n * lengthOf(axis), 1)

export const runsOf = (document: Pick<SweepDocument, 'axes' | 'repetitions'>): number =>
  pointsOf(document.axes) * document.repetitions

/** What the i-th value of an axis is called. */
export function labelOf(axis: PlainAxis, i: number): string {
  return (('labels' in axis && axis.labels?.[i]) || undefined) ?? saidOf(valuesOf(axis, i + 1)[i])
}

/** A value in words: numbers plain, objects by their name or kind. */
export function saidOf(value: unknown): string {
  if (typeof value === 'number') return plain(value)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null) {
    const { name, kind, share } = value as Record<string, unknown>
    if (typeof name === 'string') return name
    if (typeof kind === 'string') return kind
    if (typeof share === 'number') return `${plain(share * 100)} %`
    return JSON.stringify(value)
  }
  return 'none'
}

/** 12,000 and 0.05: as people write numbers, without rounding what is there. */
export function plain(x: number): string {
  if (x !== 0 && (Math.abs(x) >= 1e9 || Math.abs(x) < 1e-4)) return x.toExponential().replace('e+', 'e')
  return x.toLocaleString('en-GB', { maximumFractionDigits: 9 })
}

/** The value at a path of a document: `events.2.t`, `protocol`. */
export function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((place, name) => {
    if (typeof place !== 'object' || place === null) return undefined
    return (place as Record<string, unknown>)[name]
  }, document)
}

/** Reads a document that somebody wrote by hand or that the server keeps; throws what is wrong with it, in words. */
export function readSweep(text: string): SweepDocument {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read'
    throw new Error(`this is not JSON: ${why}`, { cause: error })
  }
  return asSweep(value)
}

export function asSweep(value: unknown): SweepDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('a sweep document is an object with base, axes, repetitions, …')
  const given = value as Partial<SweepDocument>
  if (typeof given.base !== 'object' || given.base === null)
    throw new Error('base is missing: the scenario document that is varied')
  const axes: unknown = given.axes ?? []
  if (!Array.isArray(axes) || !axes.every(isAxis))
    throw new Error('axes is a list of {"path": …, "values": […]}, ranges, and {"zip": […]}')
  return {
    ...given,
    version: 1,
    name: typeof given.name === 'string' ? given.name : '',
    base: given.base,
    axes,
    repetitions: typeof given.repetitions === 'number' ? given.repetitions : 1,
    first_seed: typeof given.first_seed === 'number' ? given.first_seed : 1,
    metrics: Array.isArray(given.metrics) ? given.metrics : [],
  }
}

function isAxis(value: unknown): value is Axis {
  if (typeof value !== 'object' || value === null) return false
  if ('zip' in value)
    return Array.isArray(value.zip) && value.zip.length > 0 && value.zip.every((a) => isAxis(a) && !isZip(a))
  const { path, values, from, to, step, count } = value as Record<string, unknown>
  if (typeof path !== 'string') return false
  if (Array.isArray(values)) return true
  return [from, to, step ?? count].every((x) => typeof x === 'number')
}
