/** What the panels show of a run, counted from the model at most ten times a second. */
import type { Model } from './frames'
import { FLAG } from './model'
import type { Reading } from './stopwatch'

export interface Part {
  size: number
  wrong: number
  /** Since when nothing in this part is wrong; null: something is. */
  since: number | null
}

/** What the panels know, renewed at most ten times a second. */
export interface Summary {
  t: number
  alive: number
  /** Nodes alive that agree on the root with most of their part. */
  joined: number
  subscribers: number
  wrong: number
  /** Wrong variables per layer, and since when none. */
  layers: { name: string; title: string; wrong: number; since: number | null }[]
  /** Connected parts, largest first. */
  parts: Part[]
  ringLength: number
  watch: Reading
  /** Counts changes of the nodes' state, for what is read from the model directly. */
  version: number
}

/**
 * Counts the model. `since` holds, per part, since when nothing in it is wrong; it is brought up to date.
 */
export function summarise(
  { state, curves, world }: Model,
  declared: readonly { name: string; title: string }[],
  since: (number | null)[],
  watch: Reading,
): Summary {
  const parts: Part[] = []
  const roots: Map<number, number>[] = []
  let [alive, wrong, subscribers, ringLength] = [0, 0, 0, 0]
  for (let v = 0; v < world.n; v++) {
    const flags = state.flags[v] ?? 0
    if (!(flags & FLAG.alive)) continue
    alive++
    if (flags & FLAG.subscriber) subscribers++
    if (flags & FLAG.root && (state.part[v] ?? -1) <= 0) ringLength = state.ringLength[v] ?? 0
    const is = flags & FLAG.anyWrong ? 1 : 0
    wrong += is
    const part = (parts[partOf(state.part[v])] ??= { size: 0, wrong: 0, since: null })
    part.size++
    const under = (roots[partOf(state.part[v])] ??= new Map<number, number>())
    const root = state.root[v] ?? -1
    under.set(root, (under.get(root) ?? 0) + 1)
    part.wrong += is
  }
  for (let p = 0; p < parts.length; p++) {
    const part = (parts[p] ??= { size: 0, wrong: 0, since: null })
    part.since = since[p] = part.wrong ? null : (since[p] ?? state.t)
  }
  since.length = parts.length
  const joined = roots.reduce((sum, under) => sum + agreeing(under, world.root), 0)
  const titles = new Map(declared.map(({ name, title }) => [name, title]))
  return {
    t: state.t,
    alive,
    joined,
    subscribers,
    wrong,
    layers: curves.layers.map((name, layer) => ({
      name,
      title: titles.get(name) ?? name,
      wrong: curves.wrong[layer]?.[curves.size - 1] ?? 0,
      since: curves.since[layer] ?? null,
    })),
    parts,
    ringLength,
    watch,
    version: state.version,
  }
}

/** Failed nodes have no part; where the protocol has no such column, all are in the first. */
const partOf = (part: number | undefined): number => Math.max(0, part ?? 0)

/** How many in a part agree on its root: on the dedicated one if it is there, else on the one most think it is. */
function agreeing(under: ReadonlyMap<number, number>, dedicated: number): number {
  const most = under.get(dedicated) ?? Math.max(0, ...under.values())
  return most > 1 || under.size === 1 ? most : 0
}
