/** How series are told apart: by dash and shape first, by hue second. */
import { readTheme } from '../../draw/theme'
import type { Theme } from '../../draw/theme'

export type Shape = 'circle' | 'diamond' | 'square' | 'triangle' | 'plus' | 'cross'

export interface SeriesStyle {
  color: string
  dash: string
  shape: Shape
}

export interface ChartTheme extends Theme {
  series: SeriesStyle[]
}

const DASHES = ['', '8 4', '2 4', '10 3 2 3', '14 4', '5 3 1 3 1 3']
const SHAPES: readonly Shape[] = ['circle', 'diamond', 'square', 'triangle', 'plus', 'cross']

/** Ink, violet and grey in turn; the dash and the shape differ with every turn. */
export function readChartTheme(element: Element): ChartTheme {
  const theme = readTheme(element)
  const style = getComputedStyle(element)
  const second = style.getPropertyValue('--run-b').trim() || '#6b3fc4'
  const third = style.getPropertyValue('--run-c').trim() || '#5f6269'
  const hues = [theme.color.ink, second, third]
  const series = DASHES.map((dash, i) => ({
    color: hues[i % hues.length] ?? theme.color.ink,
    dash,
    shape: SHAPES[i] ?? 'circle',
  }))
  return { ...theme, series }
}

export function styleOf(theme: Pick<ChartTheme, 'series'>, si: number): SeriesStyle {
  return theme.series[si % theme.series.length] ?? { color: 'currentColor', dash: '', shape: 'circle' }
}

/** The outline of a dot of radius r as a path, in its own place. */
export function outline(shape: Shape, x: number, y: number, r: number): string {
  const at = (dx: number, dy: number): string => `${f(x + dx)} ${f(y + dy)}`
  switch (shape) {
    case 'circle':
      return `M${at(-r, 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`
    case 'diamond':
      return `M${at(0, -1.3 * r)}L${at(1.3 * r, 0)} ${at(0, 1.3 * r)} ${at(-1.3 * r, 0)}z`
    case 'square':
      return `M${at(-0.9 * r, -0.9 * r)}h${f(1.8 * r)}v${f(1.8 * r)}h${f(-1.8 * r)}z`
    case 'triangle':
      return `M${at(0, -1.2 * r)}L${at(1.2 * r, r)} ${at(-1.2 * r, r)}z`
    case 'plus': {
      const [a, b] = [0.45 * r, 1.3 * r]
      return `M${at(-a, -b)}H${f(x + a)}V${f(y - a)}H${f(x + b)}V${f(y + a)}H${f(x + a)}V${f(y + b)}H${f(x - a)}V${f(y + a)}H${f(x - b)}V${f(y - a)}H${f(x - a)}z`
    }
    case 'cross': {
      const [a, b] = [0.6 * r, 1.2 * r]
      return `M${at(-b, -b + a)}L${at(-b + a, -b)} ${at(0, -a)} ${at(b - a, -b)} ${at(b, -b + a)} ${at(a, 0)} ${at(b, b - a)} ${at(b - a, b)} ${at(0, a)} ${at(-b + a, b)} ${at(-b, b - a)} ${at(-a, 0)}z`
    }
  }
}

const f = (x: number): string => String(Math.round(x * 10) / 10)
