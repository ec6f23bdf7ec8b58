import { describe, expect, it } from 'vitest'
import { fits } from './scenario'
import type { Protocol } from './wire.gen'

const layer = { name: 'token', title: 'Token', summary: '', fields: [] }
const protocol = {
  services: ['publish'],
  layers: [{ ...layer, fields: [{ name: 'value' }] }],
  messages: [{ name: 'TOKEN' }],
} as unknown as Protocol

describe('an event fits a protocol', () => {
  it.each([
    [{ do: 'fail-node' }, true],
    [{ do: 'publish' }, true],
    [{ do: 'subscribe' }, false],
    [{ do: 'corrupt', layer: '*' }, true],
    [{ do: 'corrupt', layer: 'token' }, true],
    [{ do: 'corrupt', layer: 'token', field: 'value' }, true],
    [{ do: 'corrupt', layer: 'token', field: 'ns' }, false],
    [{ do: 'corrupt', layer: 'pubsub' }, false],
    [{ do: 'inject', message: 'TOKEN' }, true],
    [{ do: 'inject', message: 'PUB' }, false],
  ])('%j: %s', (event, is) => expect(fits(event, protocol)).toBe(is))
})
