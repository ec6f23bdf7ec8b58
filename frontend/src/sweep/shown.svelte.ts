/** The chart that is drawn now, for whoever exports it. */
import type { Chart } from './charts/chart'
import type { ChartTheme } from './charts/style'

interface Shown {
  chart: Chart
  theme: ChartTheme
  title: string
  caption: string
}

class ShownChart {
  now = $state.raw<Shown | null>(null)
}

export const shownChart = new ShownChart()
