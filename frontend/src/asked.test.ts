import { expect, it } from 'vitest'
import { Asked } from './asked'

it('every command gets its own answer', async () => {
  const asked = new Asked()
  const refs: number[] = []
  const send = (ref: number): boolean => refs.push(ref) > 0
  const [first, second] = [asked.ask(send), asked.ask(send)]
  expect(asked.answer(refs[1] ?? 0, { ok: true, index: 7 })).toBe(true)
  expect(asked.answer(refs[1] ?? 0, { ok: true, index: 8 })).toBe(false)
  expect(asked.answer(null, { ok: true, index: 9 })).toBe(false)
  expect(await second).toEqual({ ok: true, index: 7 })
  asked.refuseAll()
  expect((await first).ok).toBe(false)
})

it('what cannot be sent is refused at once', async () => {
  expect((await new Asked().ask(() => false)).ok).toBe(false)
})
