/** Box plots: middle halves, medians, and whiskers to the fifth and the ninety-fifth percentile. */
import * as Plot from '@observablehq/plot'
import { channels, numbers, shift, stride } from './marks'
import type { Context, Marks } from './marks'
import { styleOf } from './style'

export function boxes(context: Context): Marks {
  const { spec, theme } = context
  const half = Math.max(2, stride(context) * 0.4)
  return numbers(spec).flatMap((s): Marks => {
    const rows = spec.boxes
      .filter((b) => b.s === s)
      .map(({ q: [q5, q25, q50, q75, q95], ...rest }) => ({ ...rest, q5, q25, q50, q75, q95 }))
    const { data, by } = channels(context, rows)
    const { color, dash } = styleOf(theme, s)
    const dx = shift(context, s)
    const whisker = { x: 'x', stroke: color, strokeWidth: 1.4, dx, ...by } as const
    return [
      Plot.ruleX(data, { ...whisker, y1: 'q5', y2: 'q25' }),
      Plot.ruleX(data, { ...whisker, y1: 'q75', y2: 'q95' }),
      Plot.ruleX(data, {
        x: 'x',
        y1: 'q25',
        y2: 'q75',
        ...by,
        render: middles(color, theme.color.panel, dx, half),
      }),
      Plot.dot(data, { y: 'q50', x: 'x', ...by, render: medians(color, dx, half, dash) }),
    ]
  })
}

/** The middle halves: boxes of a width in pixels, on any scale. */
function middles(color: string, ground: string, dx: number, half: number): Plot.RenderFunction {
  return (index, _scales, values, _dimensions, { document }) => {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    const parts = [...index].map((i) => {
      const [x, y1, y2] = [values.x?.[i], values.y1?.[i], values.y2?.[i]].map(Number) as [
        number,
        number,
        number,
      ]
      return `M${x + dx - half} ${y1}h${2 * half}V${y2}h${-2 * half}z`
    })
    path.setAttribute('d', parts.join(''))
    path.setAttribute('fill', ground)
    path.setAttribute('fill-opacity', '0.8')
    path.setAttribute('stroke', color)
    path.setAttribute('stroke-width', '1.4')
    return path
  }
}

function medians(color: string, dx: number, half: number, dash: string): Plot.RenderFunction {
  return (index, _scales, values, _dimensions, { document }) => {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    const parts = [...index].map((i) => {
      const [x, y] = [(values.x?.[i] as number) + dx, values.y?.[i] as number]
      return `M${x - half} ${y}h${2 * half}`
    })
    path.setAttribute('d', parts.join(''))
    path.setAttribute('stroke', color)
    path.setAttribute('stroke-width', '2.6')
    if (dash) path.setAttribute('stroke-dasharray', dash.startsWith('2') ? '2 2' : '5 2')
    return path
  }
}
