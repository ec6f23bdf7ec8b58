import { expect, it } from 'vitest'
import type { Dimension } from './dimensions'
import type { View } from './results'
import { readView, writeView } from './viewhash'

const dim = (key: string, n: number): Dimension => {
  const values = Array.from({ length: n }, (_, i) => i)
  return { key, title: key, along: [], unit: '', numeric: true, values, names: values.map(String) }
}
const dims = [dim('topology.n', 4), dim('radio.loss', 3), dim('protocol', 2)]
const first: View = {
  chart: 'lines',
  metric: 'messages',
  x: 'topology.n',
  series: 'protocol',
  facet: '',
  fixed: {},
  logX: true,
  logY: false,
  dots: true,
}
const metrics = ['messages', 'delivery_ratio']
const read = (hash: string) => readView(hash, first, dims, metrics)

it('says nothing of what is shown at first', () => expect(writeView(first, first, dims, null)).toBe(''))

it('brings back every other look, and the run', () => {
  const view: View = {
    chart: 'box',
    metric: 'delivery_ratio',
    x: 'radio.loss',
    series: '',
    facet: 'protocol',
    fixed: { 'topology.n': 2 },
    logX: false,
    logY: true,
    dots: false,
  }
  expect(read(`#${writeView(view, first, dims, 17)}`)).toEqual({ view, run: 17 })
})

it.each([
  '',
  '#',
  '#x=unknown&y=nothing&chart=pie&at.topology.n=9&at.radio.loss=-1&run=-2',
  '#run=1.5&dots=perhaps',
])('passes over what there is not: %s', (hash) => expect(read(hash)).toEqual({ view: first, run: null }))
