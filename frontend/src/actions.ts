/** What can be done to a node, a link and the whole network; menus, buttons and keys all come here. */
import type { Glyph } from './draw/glyphs'
import { FLAG, LINK } from './model'
import { notices } from './notices.svelte'
import { opening } from './open.svelte'
import { run } from './run.svelte'
import type { ScenarioEvent } from './scenario'
import { ui } from './ui.svelte'

export interface Action {
  label: string
  /** Where there is little room. */
  brief?: string
  /** The key that does the same, as KeyboardEvent.key in lower case. */
  key: string | null
  glyph: Glyph | null
  run: () => void
}

/** Sends a command; a refusal shows up in words. Resolves to whether it took effect. */
export async function act(event: ScenarioEvent): Promise<boolean> {
  const outcome = await run.command(event)
  if (outcome.ok) notices.settle()
  else notices.refuse(titles[event.do] ?? 'That was refused', outcome.problem)
  return outcome.ok
}

const titles: Record<string, string> = {
  subscribe: 'Not subscribed',
  unsubscribe: 'Not unsubscribed',
  publish: 'Not published',
  'fail-node': 'The node did not fail',
  'restore-node': 'The node was not restored',
  'fail-link': 'The link did not fail',
  'restore-link': 'The link was not restored',
  'set-loss': 'The loss was not set',
  'move-node': 'The node was not moved',
  'add-node': 'No node was added',
  corrupt: 'Nothing was corrupted',
  storm: 'No storm began',
  'loss-burst': 'No loss burst began',
}

/** What undo takes back: the latest command, or the whole run for the one before; null: nothing. */
export const undoes = (): 'command' | 'run' | null =>
  (run.state?.undoable ?? 0) > 0 ? 'command' : opening.left.length ? 'run' : null

export async function undo(): Promise<void> {
  if (undoes() === 'run') return opening.goBack()
  const outcome = await run.undo()
  if (!outcome.ok) notices.refuse('Nothing was undone', outcome.problem)
}

export const alive = (v: number): boolean => ((run.model.state.flags[v] ?? 0) & FLAG.alive) !== 0

/** Whether v subscribes to the channel that commands mean now. */
export function subscribes(v: number, channel = run.defaultChannel()): boolean {
  const c = run.world.channels.indexOf(channel)
  return c >= 0 && (((run.model.state.wants[v] ?? 0) >> c) & 1) === 1
}

/** Actions on a node, in the order of the menu. */
export function nodeActions(v: number): Action[] {
  const node = run.world.ids[v]
  if (node === undefined) return []
  const channel = run.defaultChannel()
  const move: Action = {
    label: 'Move',
    key: 'm',
    glyph: null,
    run: () => ui.place({ do: 'move-node', node: v }),
  }
  if (!alive(v))
    return [
      { label: 'Restore', key: 'f', glyph: 'restore', run: () => void act({ do: 'restore-node', node }) },
      move,
    ]
  const wants = subscribes(v)
  const service = wants ? 'unsubscribe' : 'subscribe'
  const actions: Action[] = [
    { label: 'Fail', key: 'f', glyph: 'cross', run: () => void act({ do: 'fail-node', node }) },
    {
      label: 'Corrupt',
      key: 'c',
      glyph: 'corrupted',
      run: () => void act({ do: 'corrupt', node, layer: '*' }),
    },
  ]
  if (run.offers(service))
    actions.push({
      label: wants ? 'Unsubscribe' : 'Subscribe',
      key: 's',
      glyph: 'sub',
      run: () => void act({ do: service, node, channel }),
    })
  if (run.offers('publish'))
    actions.push({
      label: 'Publish',
      key: 'p',
      glyph: 'pub',
      run: () => void act({ do: 'publish', node, channel }),
    })
  return [...actions, move]
}

/** Actions on a link. */
export function linkActions(k: number): Action[] {
  const { world } = run
  const [a, b] = [world.ids[world.from[k] ?? 0], world.ids[world.to[k] ?? 0]]
  if (a === undefined || b === undefined) return []
  const byte = run.model.state.link[k] ?? 0
  const [forth, back] = [byte & LINK.forth, byte & LINK.back]
  const actions: Action[] = []
  const name = (id: string): string => run.name(id)
  if (forth || back)
    actions.push({
      label: 'Fail',
      key: 'f',
      glyph: 'cross',
      run: () => void act({ do: 'fail-link', link: [a, b] }),
    })
  if (!forth || !back)
    actions.push({
      label: 'Restore',
      key: forth || back ? 'r' : 'f',
      glyph: 'restore',
      run: () => void act({ do: 'restore-link', link: [a, b] }),
    })
  if (forth)
    actions.push({
      label: `Fail ${name(a)} → ${name(b)}`,
      brief: 'Fail →',
      key: null,
      glyph: 'oneway',
      run: () => void act({ do: 'fail-link', link: [a, b], oneway: true }),
    })
  if (back)
    actions.push({
      label: `Fail ${name(b)} → ${name(a)}`,
      brief: 'Fail ←',
      key: null,
      glyph: 'oneway',
      run: () => void act({ do: 'fail-link', link: [b, a], oneway: true }),
    })
  return actions
}

/** Does what `key` means for the selection; false: nothing. */
export function press(key: string): boolean {
  const { selection } = run
  if (!selection || !run.owner) return false
  const actions = 'node' in selection ? nodeActions(selection.node) : linkActions(selection.link)
  const action = actions.find((a) => a.key === key)
  action?.run()
  return action !== undefined
}

/** Some of the nodes that are up, at random. The choice becomes part of the document, so it replays. */
function sample(nodes: number[], k: number): number[] {
  const pool = [...nodes]
  const chosen: number[] = []
  while (chosen.length < k && pool.length)
    chosen.push(...pool.splice(Math.floor(Math.random() * pool.length), 1))
  return chosen
}

const everyAlive = (): number[] => Array.from(run.world.ids.keys()).filter(alive)

/** Sends many commands at once, so that they take effect together; stops at the first refusal. */
async function actAll(events: ScenarioEvent[]): Promise<void> {
  const atOnce = 40
  for (let i = 0; i < events.length; i += atOnce) {
    // oxlint-disable-next-line no-await-in-loop -- the server takes so many at once, then some more
    const done = await Promise.all(events.slice(i, i + atOnce).map((event) => act(event)))
    if (done.includes(false)) return
  }
}

export async function subscribeSome(k: number, channel = run.defaultChannel()): Promise<void> {
  const free = everyAlive().filter((v) => v !== run.world.root && !subscribes(v, channel))
  if (!free.length) notices.say('Every node that is up subscribes already')
  await actAll(sample(free, k).map((v) => ({ do: 'subscribe', node: run.world.ids[v] ?? '', channel })))
}

export async function publishSome(channel = run.defaultChannel()): Promise<void> {
  const up = everyAlive()
  const others = up.filter((v) => !subscribes(v, channel))
  const node = run.world.ids[sample(others.length ? others : up, 1)[0] ?? -1]
  if (node === undefined) return notices.say('No node is up')
  await act({ do: 'publish', node, channel })
}

/** Cuts the network in two: the half on the left against the half on the right. */
export async function cutInTwo(): Promise<void> {
  const { world } = run
  const order = everyAlive().toSorted((a, b) => (world.x[a] ?? 0) - (world.x[b] ?? 0))
  const nodes = order.slice(0, order.length >> 1).map((v) => world.ids[v] ?? '')
  if (nodes.length) await act({ do: 'partition', nodes })
  else notices.say('There is nothing to cut')
}

/** Brings back every failed node and link. */
export async function restoreAll(): Promise<void> {
  const { world, state } = run.model
  const whole = LINK.forth | LINK.back
  const events: ScenarioEvent[] = world.ids.flatMap((node, v) =>
    alive(v) ? [] : [{ do: 'restore-node', node }],
  )
  // A link of a failed node is whole: what counts is the link itself.
  if (state.link.some((byte) => (byte & whole) !== whole)) events.push({ do: 'restore-all' })
  if (!events.length) notices.say('Nothing is broken')
  await actAll(events)
}
