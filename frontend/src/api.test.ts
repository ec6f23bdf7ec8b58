import { describe, expect, it, vi } from 'vitest'
import { ApiError, api, asProblem } from './api'

const answer = (status: number, body: string): void => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })))
}

async function refusal(): Promise<ApiError> {
  const error: unknown = await api.unlink('s1.x').catch((e: unknown) => e)
  if (!(error instanceof ApiError)) throw new Error('that was not refused')
  return error
}

describe('a refusal', () => {
  it('says where, what and what instead', async () => {
    const error = { path: 'events[2].link', value: '"q"', allowed: 'r, e, c', message: 'unknown node' }
    answer(422, JSON.stringify({ error }))
    const refused = await refusal()
    expect(refused.status).toBe(422)
    expect(asProblem(refused)).toEqual(error)
  })

  it.each(['', '<html>', '{}', '{"error":"x"}', '{"detail":"Not Found"}'])(
    'without a readable reason it still has words: %s',
    async (body) => {
      answer(502, body)
      expect((await refusal()).problem.message).toContain('502')
    },
  )

  it('comes without a server, too', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const refused = await refusal()
    expect(refused.status).toBe(0)
    expect(refused.problem.message).toContain('cannot be reached')
  })
})

describe('lists', () => {
  it('are asked for once, and again after a failure', async () => {
    const fetch = vi
      .fn<() => Promise<Response>>()
      .mockRejectedValueOnce(new TypeError('down'))
      .mockResolvedValue(new Response('[]'))
    vi.stubGlobal('fetch', fetch)
    await expect(api.examples()).rejects.toThrow('cannot be reached')
    expect(await api.examples()).toEqual([])
    expect(await api.examples()).toEqual([])
    expect(fetch).toHaveBeenCalledTimes(2)
  })
})

it('anything thrown becomes words', () => {
  expect(asProblem(new Error('no room')).message).toBe('no room')
  expect(asProblem(7).message).not.toBe('')
})
