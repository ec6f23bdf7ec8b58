/** Scales and ticks of a chart: where values stand, and which of them are named. */
import type * as Plot from '@observablehq/plot'
import { plain } from '../document'
import type { ChartSpec, Scale } from './spec'

export interface Size {
  width: number
  height: number
}

export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

export function columnsOf(n: number, { width, height }: Size): number {
  if (n <= 1) return 1
  if (n <= 4 && width / n >= 200) return n
  const ideal = Math.round(Math.sqrt((n * width) / (height * 1.3)))
  return Math.max(1, Math.min(n, ideal, Math.floor(width / 150) || 1))
}

export const leftOf = (scale: Scale): number =>
  Math.min(170, 24 + 7 * Math.max(...(scale.names ?? ['']).map((name) => Math.min(22, name.length))))

export function scaleX(spec: ChartSpec): Plot.ScaleOptions {
  const { names, log, extent } = spec.x
  if (names) return { type: 'linear', domain: [-0.5, names.length - 0.5] }
  if (spec.kind === 'histogram') return { type: 'linear', nice: true }
  const inset = spec.kind === 'ecdf' ? 4 : 20
  if (!extent) return { type: log ? 'log' : 'linear', inset }
  const [lo, hi] = extent
  // A single value stands in the middle.
  return { type: log ? 'log' : 'linear', domain: lo === hi ? [lo - 1, hi + 1] : [lo, hi], inset }
}

export const domainOf = ({ extent }: Scale): { domain?: [number, number] } =>
  extent ? { domain: extent } : {}

/** Where values stand that are few enough to be named; else wherever Plot likes. */
export function ticksOf({ names, at, log }: Scale, inner: number): Plot.AxisXOptions {
  if (names) {
    const every = Math.max(1, Math.ceil((names.length * 34) / inner))
    const shown = range(names.length).filter((i) => i % every === 0)
    const most = Math.max(4, Math.floor((inner / shown.length - 6) / 6.4))
    return { ticks: shown, tickFormat: (i: number) => cut(names[i] ?? '', most) }
  }
  if (!at) return log ? { ticks: 6, tickFormat: ',' } : { ticks: Math.max(2, Math.floor(inner / 70)) }
  const widest = Math.max(...at.map((v) => plain(Number(v.toPrecision(4))).length)) * 7 + 12
  const every = log ? 1 : Math.max(1, Math.ceil((at.length * widest) / inner))
  const shown = at.filter((_, i) => i % every === 0)
  return { ticks: shown, tickFormat: (v: number) => plain(Number(v.toPrecision(4))) }
}

/** The least distance between neighbouring values, px. */
export function gapOf({ names, at, extent, log }: Scale, inner: number): number {
  if (names) return inner / Math.max(1, names.length)
  if (!at || !extent || at.length < 2) return 60
  const on = (v: number): number => (log ? Math.log(v) : v)
  const span = on(extent[1]) - on(extent[0]) || 1
  const sorted = at.map(on).toSorted((a, b) => a - b)
  const least = Math.min(...sorted.slice(1).map((v, i) => v - (sorted[i] ?? 0)))
  return Math.max(6, (least / span) * (inner - 32))
}
