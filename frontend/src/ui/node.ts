/** How the interface speaks of a node: its symbol and its role, read from the model. */
import type { Glyph } from '../draw/glyphs'
import { FLAG } from '../model'
import { run } from '../run.svelte'

const has = (v: number, flag: number): boolean => ((run.model.state.flags[v] ?? 0) & flag) !== 0

export function glyphOf(v: number): Glyph {
  if (!has(v, FLAG.alive)) return 'failed'
  const wrong = has(v, FLAG.anyWrong)
  if (has(v, FLAG.root)) return wrong ? 'wrong-root' : 'root'
  if (has(v, FLAG.corrupted)) return 'corrupted'
  if (wrong) return has(v, FLAG.subscriber) ? 'wrong-subscriber' : 'wrong'
  if (has(v, FLAG.subscriber)) return 'subscriber'
  return 'forwards'
}

export function roleOf(v: number): string {
  if (!has(v, FLAG.alive)) return 'failed'
  const { state } = run.model
  if (!run.builds('tree')) return 'works'
  const joined = (state.parent[v] ?? -1) >= 0
  const place = has(v, FLAG.root) ? 'root' : joined ? `depth ${state.depth[v] ?? 0}` : 'not in a tree yet'
  if (!run.offers('subscribe')) return place
  const channels = run.world.channels.filter((_, c) => (((state.wants[v] ?? 0) >> c) & 1) === 1)
  return `${place}, ${channels.length ? `subscribes to ${channels.join(', ')}` : 'forwards only'}`
}
