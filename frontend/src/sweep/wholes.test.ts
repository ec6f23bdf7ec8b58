import { describe, expect, it } from 'vitest'
import type { Scenario, Topology } from '../scenario'
import type { CatalogueEntry } from '../wire.gen'
import { isOption } from './fields'
import { alike, networkOptions, radioOptions, sizeOf } from './wholes'

const entry = (
  name: string,
  title: string,
  nodes: number,
  rest: Partial<CatalogueEntry> = {},
): CatalogueEntry => ({
  name,
  title,
  summary: '',
  nodes,
  links: 0,
  components: 1,
  source: '',
  licence: '',
  range_m: null,
  ...rest,
})
const networks = [
  entry('leipzig', 'Leipzig mesh', 210),
  entry('iotlab-lille', 'IoT-LAB Lille', 234, { range_m: 2 }),
  entry('munich', 'Munich mesh', 1684, { components: 15 }),
]
const on = (topology: Topology, rest: Partial<Scenario> = {}): Scenario => ({
  version: 1,
  topology,
  protocol: { name: 'psvr' },
  ...rest,
})
const offered = (topology: Topology, rest: Partial<Scenario> = {}) =>
  networkOptions(on(topology, rest), networks)
const radios = (topology: Topology, radio?: unknown) => radioOptions(on(topology, { radio }), {}, networks)

describe('networks to choose from', () => {
  it('are the own one, one of each kind as large, and those that ship', () => {
    const found = offered({ kind: 'builtin', name: 'leipzig' })
    expect(found.map((o) => o.label)).toEqual([
      'Leipzig mesh',
      'Random geometric',
      'Random',
      'Grid',
      'Zones',
      'Line',
      'Circle',
      'Star',
      'IoT-LAB Lille',
      'Munich mesh',
    ])
    expect(found.find((o) => o.label === 'Random')?.value).toEqual({ kind: 'gnp', n: 210, mean_degree: 10 })
    expect(found.find((o) => o.label === 'Zones')?.value).toEqual({ kind: 'zones', Z: 7, clients: 161 })
    expect(found.find((o) => o.label === 'IoT-LAB Lille')?.value).toMatchObject({ range_m: 2 })
    expect(found.find((o) => o.label === 'Munich mesh')?.note).toBe('1,684 nodes, 15 parts')
  })

  it('have the own one as it is, in the place of its kind', () => {
    const own = { kind: 'geometric', n: 40, range_m: 300 }
    const found = offered(own)
    expect(found[0]).toMatchObject({ value: own, label: 'Random geometric', usual: true })
    expect(found.filter((o) => o.label === 'Random geometric')).toHaveLength(1)
  })

  it('call one that was drawn by its scenario', () =>
    expect(offered({ kind: 'explicit', nodes: [{}, {}] }, { name: 'My two' })[0]?.label).toBe('My two'))

  it('are none that cannot be: of two nodes there is no circle', () =>
    expect(offered({ kind: 'line', n: 2 }).map((o) => o.label)).not.toContain('Circle'))

  it.each([
    [{ kind: 'grid', rows: 3, cols: 4 }, 12],
    [{ kind: 'zones', Z: 3, clients: 5 }, 14],
    [{ kind: 'builtin', name: 'leipzig' }, 210],
    [{ kind: 'builtin', name: 'leipzig', n: 30 }, 30],
    [{ kind: 'builtin', name: 'unheard-of' }, 0],
  ])('have a size: %j', (topology, n) => expect(sizeOf(topology, networks)).toBe(n))
})

describe('radios to choose from', () => {
  it('have the own one in the place of its namesake', () => {
    const found = radios({ kind: 'geometric' })
    expect(found[0]).toMatchObject({ value: { kind: 'ideal' }, label: 'Ideal' })
    expect(found.filter((o) => o.label === 'Ideal')).toHaveLength(1)
    expect(found.filter((o) => o.usual).map((o) => o.label)).toEqual([
      'Ideal',
      'Unit disk',
      'CC2420 as in Castalia',
    ])
  })

  it('say what cannot be everywhere', () => {
    const found = radios({ kind: 'gnp' }, { kind: 'unit-disk' })
    expect(found.find((o) => o.label === 'CC2420 as in Castalia')?.note).toBe('needs metres')
    expect(found.filter((o) => o.usual).map((o) => o.label)).toEqual(['Unit disk'])
  })
})

it('finds what is chosen whatever the order of its fields; a protocol by its name', () => {
  const disk = { value: { kind: 'geometric', n: 9 }, label: '' }
  expect(isOption('topology', disk, { n: 9, kind: 'geometric' })).toBe(true)
  expect(isOption('topology', disk, { n: 10, kind: 'geometric' })).toBe(false)
  expect(isOption('protocol', { value: { name: 'psvr' }, label: '' }, { name: 'psvr', params: {} })).toBe(
    true,
  )
  expect(alike({ a: [1, { b: 2, c: 3 }] }, { a: [1, { c: 3, b: 2 }] })).toBe(true)
})
