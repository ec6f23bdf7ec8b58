import { describe, expect, it } from 'vitest'
import { changed, checkField, fieldsOf, rangeOf, titleOf, valuesOf, variants } from './schema'
import type { Schema } from './schema'

const schema: Schema = {
  $defs: {
    Quiet: {
      description: 'Nothing is lost.',
      properties: {
        kind: { const: 'quiet', type: 'string' },
        delay_s: { default: 0.01, type: 'number', minimum: 0.0001, maximum: 10 },
        acks: { default: true, type: 'boolean', description: 'acknowledge unicast frames' },
        order: { default: 'fifo', enum: ['fifo', 'random'] },
        retries: { default: 3, type: 'integer', minimum: 0, maximum: 100 },
        tags: { type: 'array' },
      },
    },
    Share: { properties: { share: { type: 'number' } } },
    Work: {
      properties: {
        publishers: {
          anyOf: [{ type: 'integer' }, { $ref: '#/$defs/Share' }, { type: 'array' }],
          default: 1,
          description: 'how many nodes',
        },
        rate_per_s: { type: 'number', default: 0.1, exclusiveMinimum: 0, maximum: 1000 },
        end_s: { anyOf: [{ type: 'number', minimum: 0, maximum: 1e6 }, { type: 'null' }], default: null },
      },
    },
  },
  properties: { radio: { discriminator: { propertyName: 'kind', mapping: { quiet: '#/$defs/Quiet' } } } },
}
const [quiet] = variants(schema, schema.properties?.radio)
const fields = quiet?.fields ?? []
const work = fieldsOf(schema.$defs?.Work)
const field = (name: string) => [...fields, ...work].find((f) => f.name === name)!

describe('a form from a schema', () => {
  it('has a field for all that can be asked for, in the order of the schema', () => {
    expect(quiet?.about).toBe('Nothing is lost.')
    expect(fields.map((f) => [f.name, f.kind])).toEqual([
      ['delay_s', 'number'],
      ['acks', 'flag'],
      ['order', 'choice'],
      ['retries', 'number'],
    ])
    expect(field('acks')).toMatchObject({ title: 'Acknowledgements', help: 'Acknowledge unicast frames.' })
  })

  it('tells units from names', () => {
    expect(titleOf('carrier_sense_dbm')).toEqual({ title: 'Carrier sense', unit: 'dBm' })
    expect(titleOf('rate_per_s')).toEqual({ title: 'Rate', unit: '/s' })
    expect(titleOf('exponent')).toEqual({ title: 'Exponent', unit: '' })
  })

  it('names ranges, and values outside them', () => {
    expect(rangeOf(field('rate_per_s'))).toBe('above 0 to 1,000')
    expect(checkField(field('rate_per_s'), 0)).toBe('allowed: above 0 to 1,000')
    expect(checkField(field('rate_per_s'), 0.5)).toBeNull()
    expect(checkField(field('retries'), 1.5)).toBe('a whole number is needed')
    expect(checkField(field('delay_s'), null)).toBe('a number is needed')
    expect(checkField(field('end_s'), null)).toBeNull()
    expect(checkField(field('end_s'), -1)).toBe('allowed: 0 to 1,000,000')
  })

  it('takes nodes by count or by share', () => {
    expect(checkField(field('publishers'), 3)).toBeNull()
    expect(checkField(field('publishers'), 0)).not.toBeNull()
    expect(checkField(field('publishers'), { share: 0.2 })).toBeNull()
    expect(checkField(field('publishers'), { share: 2 })).not.toBeNull()
  })

  it('writes what is not the default into a document', () => {
    const values = valuesOf(fields, { delay_s: 0.2 })
    expect(values).toEqual({ delay_s: 0.2, acks: true, order: 'fifo', retries: 3 })
    expect(changed(fields, values)).toEqual({ delay_s: 0.2 })
  })
})
