/** How a result is looked at, in the part of its address after the #: whoever gets the address sees the same chart. */
import { CHARTS } from './results'
import type { Dimension } from './dimensions'
import type { View } from './results'

/** The address's part; only what differs from how it is shown at first. */
export function writeView(view: View, first: View, dims: readonly Dimension[], run: number | null): string {
  const parts = new URLSearchParams()
  const say = (key: string, value: string, usual: string): void => {
    if (value !== usual) parts.set(key, value)
  }
  say('chart', view.chart, first.chart)
  say('y', view.metric, first.metric)
  say('x', view.x, first.x)
  say('series', view.series, first.series)
  say('facet', view.facet, first.facet)
  say('log', logs(view), logs(first))
  say('dots', view.dots ? 'on' : 'off', first.dots ? 'on' : 'off')
  for (const { key } of dims) if (view.fixed[key]) parts.set(`at.${key}`, String(view.fixed[key]))
  if (run !== null) parts.set('run', String(run))
  return parts.toString()
}

const logs = (view: View): string => `${view.logX ? 'x' : ''}${view.logY ? 'y' : ''}`

/** What an address says; what it does not, or what there is not, is as at first. */
export function readView(
  hash: string,
  first: View,
  dims: readonly Dimension[],
  metrics: readonly string[],
): { view: View; run: number | null } {
  const parts = new URLSearchParams(hash.replace(/^#/, ''))
  const among = <T extends string>(key: string, allowed: readonly T[], otherwise: T): T =>
    allowed.find((value) => value === parts.get(key)) ?? otherwise
  const keys = dims.map(({ key }) => key)
  const fixed = Object.fromEntries(
    dims.flatMap(({ key, values }): [string, number][] => {
      const at = Number(parts.get(`at.${key}`) ?? 0)
      return Number.isInteger(at) && at > 0 && at < values.length ? [[key, at]] : []
    }),
  )
  const log = parts.get('log') ?? logs(first)
  const run = Number(parts.get('run') ?? NaN)
  return {
    view: {
      chart: among(
        'chart',
        CHARTS.map(([kind]) => kind),
        first.chart,
      ),
      metric: among('y', metrics, first.metric),
      x: among('x', keys, first.x),
      series: among('series', ['', ...keys], first.series),
      facet: among('facet', ['', ...keys], first.facet),
      fixed,
      logX: log.includes('x'),
      logY: log.includes('y'),
      dots: among('dots', ['on', 'off'], first.dots ? 'on' : 'off') === 'on',
    },
    run: Number.isInteger(run) && run >= 0 ? run : null,
  }
}
