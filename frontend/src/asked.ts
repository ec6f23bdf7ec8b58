/** Commands that wait for their answer. */
import type { Problem } from './wire.gen'

export type Outcome = { ok: true; index: number } | { ok: false; problem: Problem }

const away: Problem = {
  path: '',
  value: '',
  allowed: '',
  message: 'the server is away: faults and publications wait until it is back',
}

export class Asked {
  private ref = 0
  private readonly waiting = new Map<number, (outcome: Outcome) => void>()

  /** Sends with a new reference; resolves with the answer, or at once if it could not be sent. */
  ask(send: (ref: number) => boolean): Promise<Outcome> {
    const ref = ++this.ref
    if (!send(ref)) return Promise.resolve({ ok: false, problem: away })
    return new Promise((resolve) => this.waiting.set(ref, resolve))
  }

  /** False: nobody waits for this reference. */
  answer(ref: number | null, outcome: Outcome): boolean {
    const resolve = ref === null ? undefined : this.waiting.get(ref)
    if (!resolve || ref === null) return false
    this.waiting.delete(ref)
    resolve(outcome)
    return true
  }

  /** The connection is gone, and with it the answers. */
  refuseAll(): void {
    for (const ref of this.waiting.keys()) this.answer(ref, { ok: false, problem: away })
  }
}
