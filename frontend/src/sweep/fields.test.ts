import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema'
import type { Param, Protocol } from '../wire.gen'
import { choicesOf, fieldsToVary, offer, searched, titled } from './fields'
import { measuresOf, usualMeasures } from './measures'

const number = (rest: Schema = {}): Schema => ({ type: 'number', minimum: 0, maximum: 1, ...rest })
const schema: Schema = {
  properties: {
    duration_s: number({ maximum: 1e6 }),
    topology: { discriminator: { propertyName: 'kind', mapping: { gnp: '#/$defs/Gnp' } } },
    radio: { discriminator: { propertyName: 'kind', mapping: { ideal: '#/$defs/Ideal' } } },
    events: {
      items: { discriminator: { propertyName: 'do', mapping: { 'set-loss': '#/$defs/SetLoss' } } },
    },
  },
  $defs: {
    Gnp: {
      properties: {
        kind: { const: 'gnp' },
        n: { type: 'integer', minimum: 1, maximum: 20_000 },
        mean_degree: number({ exclusiveMinimum: 0, maximum: 1000 }),
        range_m: { anyOf: [number(), { type: 'null' }], default: null },
        allow_disconnected: { type: 'boolean' },
      },
    },
    Ideal: {
      properties: { loss: number({ default: 0 }), order: { enum: ['fifo', 'slow-links'], default: 'fifo' } },
    },
    SetLoss: { properties: { do: { const: 'set-loss' }, t: number({ maximum: 1e6 }), loss: number() } },
    Workload: { properties: { channels: { type: 'integer', minimum: 1, maximum: 64, default: 1 } } },
  },
}
const param = (rest: Partial<Param>): Param => ({
  name: 'x',
  layer: '',
  kind: 'int',
  default: 1,
  title: 'X',
  help: '',
  lo: 0,
  hi: 9,
  unit: '',
  symbol: '',
  choices: [],
  ...rest,
})
const protocol = (name: string, title: string, rest: Partial<Protocol> = {}): Protocol => ({
  name,
  title,
  summary: '',
  source: '',
  stabilises: true,
  compiled: true,
  services: ['publish'],
  overlays: {},
  layers: [
    { name: 'tree', title: 'Tree', summary: '', fields: [] },
    { name: 'pubsub', title: 'Pub/sub', summary: '', fields: [] },
  ],
  messages: [{ name: 'PUB', shape: 'publication', doc: '', over: '', fields: [] }],
  params: [
    param({ name: 'root', kind: 'node', title: 'Root' }),
    param({ name: 'lease_s', kind: 'float', title: 'Lease', unit: 's', default: 10, hi: 100, layer: 'tree' }),
    param({
      name: 'shortcuts',
      kind: 'choice',
      title: 'Shortcuts',
      default: 'all-links',
      choices: [
        { value: 'all-links', title: 'every link' },
        { value: 'non-tree', title: 'only others' },
      ],
    }),
  ],
  ...rest,
})
const psvr = protocol('psvr', 'PSVR')
const base = {
  version: 1,
  topology: { kind: 'gnp', n: 100, mean_degree: 8 },
  protocol: { name: 'psvr', params: { lease_s: 3 } },
  events: [{ t: 20, do: 'set-loss', loss: 0.2 }],
  duration_s: 60,
}
const all = fieldsToVary(base, schema, [psvr, protocol('shen', 'Shen')])
const field = (path: string) => {
  const found = all.find((f) => f.path === path)
  if (!found) throw new Error(`no field ${path}`)
  return found
}

describe('what can be varied', () => {
  it('is every field of the document that has numbers or choices', () =>
    expect(all.map((f) => f.path)).toEqual([
      'topology',
      'topology.n',
      'topology.mean_degree',
      'protocol',
      'protocol.params.lease_s',
      'protocol.params.shortcuts',
      'radio',
      'radio.loss',
      'radio.order',
      'events.0.t',
      'events.0.loss',
      'duration_s',
    ]))

  it('says what the base scenario has, the range and the unit', () => {
    expect(field('topology.n')).toMatchObject({ title: 'Nodes', base: 100, lo: 1, hi: 20_000, whole: true })
    expect(field('topology.mean_degree')).toMatchObject({ base: 8, lo: 0, open: true })
    expect(field('protocol.params.lease_s')).toMatchObject({ base: 3, unit: 's', help: 'Tree.' })
    expect(field('radio.loss')).toMatchObject({ base: 0, title: 'Loss' })
    expect(field('events.0.t')).toMatchObject({ base: 20, group: 'Events', unit: 's' })
  })

  it('shows the traffic only where there is some', () => {
    const busy = fieldsToVary({ ...base, workload: {} } as typeof base, schema, [psvr])
    expect(busy.map((f) => f.path)).toContain('workload.channels')
    expect(busy.map((f) => f.path)).not.toContain('protocol')
  })

  it('is found by words', () => {
    expect(searched(all, 'degree').map((f) => f.path)).toEqual(['topology.mean_degree'])
    expect(searched(all, 'radio loss').map((f) => f.path)).toEqual(['radio.loss'])
    expect(searched(all, '')).toHaveLength(all.length)
  })
})

describe('a first axis', () => {
  it('goes around the base value, within the range', () => {
    expect(offer(field('topology.n'))).toEqual({ path: 'topology.n', values: [50, 100, 200, 400] })
    expect(offer(field('radio.loss'))).toEqual({ path: 'radio.loss', values: [0.1, 0.2, 0.4, 0.8] })
  })

  it('of a choice has all there is; the own protocol keeps its parameters', () => {
    expect(offer(field('protocol'))).toEqual({
      path: 'protocol',
      values: [{ name: 'psvr', params: { lease_s: 3 } }, { name: 'shen' }],
      labels: ['PSVR', 'Shen'],
    })
    expect(offer(field('protocol.params.shortcuts'))).toMatchObject({ labels: ['all links', 'non tree'] })
  })

  it('of whole networks or radios has the usual ones', () => {
    expect(offer(field('topology'))).toMatchObject({
      values: [base.topology, { kind: 'geometric', n: 100, mean_degree: 8 }, { kind: 'grid', n: 100 }],
      labels: ['Random', 'Random geometric', 'Grid'],
    })
    expect(offer(field('radio'))).toMatchObject({ labels: ['Ideal', 'Unit disk'] })
  })

  it('can be changed when it comes back written in another way', () => {
    const axis = {
      path: 'topology',
      values: [
        { ...base.topology, allow_disconnected: false },
        { kind: 'grid', n: 100 },
        { kind: 'line', n: 3 },
      ],
      labels: ['Random', 'Lattice', 'Three'],
    }
    const choices = choicesOf(axis, field('topology').options)
    expect(choices.filter(({ on }) => on)).toMatchObject([
      { label: 'Random', value: axis.values[0] },
      { label: 'Lattice', value: axis.values[1] },
      { label: 'Three', value: axis.values[2] },
    ])
    expect(new Set(choices.map(({ label }) => label)).size).toBe(choices.length)
    const bare = choicesOf({ path: 'radio.order', values: ['slow-links'] }, field('radio.order').options)
    expect(bare.map(({ label, on }) => [label, on])).toEqual([
      ['fifo', false],
      ['slow links', true],
    ])
  })

  it('along an unknown field has a title all the same', () =>
    expect(titled('radio.shadowing_db', all).title).toBe('Shadowing db'))
})

describe('what is measured', () => {
  it('is what the server says, in words', () => {
    const titles = measuresOf(psvr, ['messages', 'end_s', 'stabilised_s.tree', 'dropped.dead-link']).map(
      (m) => m.title,
    )
    expect(titles).toEqual(['messages', 'time until the tree is stable', 'messages lost (dead link)'])
  })

  it('until it has been asked leaves out what the protocol does not do', () => {
    const names = (of: Protocol): string[] => measuresOf(of).map((m) => m.name)
    expect(names(psvr)).toContain('delivery_ratio')
    expect(names(protocol('token', 'Token', { services: [] }))).toEqual(['messages', 'events'])
  })

  it('without a choice is what the server keeps then', () => {
    expect(usualMeasures(psvr)).toEqual([
      'hops_per_delivery',
      'delivery_ratio',
      'transmissions_per_delivery',
      'duplicates',
      'messages',
      'stabilised_s.tree',
      'stabilised_s.pubsub',
    ])
    expect(usualMeasures(protocol('token', 'Token', { services: [] }))[0]).toBe('messages')
  })
})
