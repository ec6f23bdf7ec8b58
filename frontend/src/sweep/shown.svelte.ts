/** The chart that is drawn now, for whoever exports it. */
import type { ChartTheme } from './charts/style'

interface Shown {
  svg: SVGSVGElement
  theme: ChartTheme
  title: string
  caption: string
}

class ShownChart {
  now = $state.raw<Shown | null>(null)
}

export const shownChart = new ShownChart()
