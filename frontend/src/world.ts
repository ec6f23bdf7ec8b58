/** From the world on the wire to the one the pictures read, and what is kept of the state when it changes. */
import { createState } from './model'
import type { State, World } from './model'
import type { World as WorldMessage } from './wire.gen'

export const emptyWorld: World = {
  epoch: -1,
  n: 0,
  m: 0,
  ids: [],
  names: [],
  x: new Float32Array(),
  y: new Float32Array(),
  from: new Uint32Array(),
  to: new Uint32Array(),
  root: -1,
  channels: [],
  quality: null,
}

export function toWorld(message: WorldMessage): World {
  const [n, m] = [message.ids.length, message.links.length >> 1]
  const [from, to] = [new Uint32Array(m), new Uint32Array(m)]
  for (let k = 0; k < m; k++) {
    from[k] = message.links[2 * k] ?? 0
    to[k] = message.links[2 * k + 1] ?? 0
  }
  return {
    epoch: message.epoch,
    n,
    m,
    ids: message.ids,
    names: message.names,
    x: Float32Array.from(message.x),
    y: Float32Array.from(message.y),
    from,
    to,
    root: message.root,
    channels: message.channels,
    quality: message.quality.length ? Float32Array.from(message.quality) : null,
  }
}

const COLUMNS = ['flags', 'parent', 'depth', 'root', 'ringLength', 'wants', 'part'] as const

/**
 * A state for a changed world that keeps what was known until the full frame comes: nodes keep their places in the
 * order, new ones are at the end.
 */
export function carryOver(before: State, n: number, m: number): State {
  const state = createState(n, m)
  const kept = Math.min(n, before.flags.length)
  for (const key of COLUMNS) state[key].set(before[key].subarray(0, kept))
  state.link.set(before.link.subarray(0, Math.min(m, before.link.length)))
  const end = before.posStart[kept] ?? 0
  state.posStart.set(before.posStart.subarray(0, kept + 1))
  state.posStart.fill(end, kept + 1)
  state.pos = before.pos.slice(0, end)
  state.t = before.t
  state.version = before.version
  return state
}
