/** What the journeys share: the page's read-only view of its run (`window.ringcast`), and pointing at nodes. */
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'

interface NodeView {
  index: number
  alive: boolean
  subscriber: boolean
  root: boolean
  wrong: boolean
  parent: string | null
  depth: number
  positions: number[]
  screen: { x: number; y: number } | null
}

interface Ringcast {
  readonly t: number
  readonly drawn: number
  readonly digest: string | null
  readonly verified: boolean | null
  readonly session: string
  readonly live: boolean
  readonly playing: boolean
  readonly protocol: string | null
  readonly radio: string
  readonly commands: string[]
  readonly dropped: Record<string, number>
  readonly bursts: number
  readonly delivery: { publications: number; expected: number; reached: number } | null
  readonly repair: { t: number; seconds: (number | null)[]; rounds: (number | null)[] } | null
  readonly selected: string | null
  readonly phase: 'growing' | 'healing' | 'legitimate' | null
  readonly layers: { name: string; wrong: number; since: number | null }[]
  readonly publications: {
    id: string
    node: string
    expected: number
    delivered: number
    duplicates: number
  }[]
  readonly links: (readonly [string, string])[]
  nodes(): string[]
  node(id: string): NodeView | null
}

declare global {
  interface Window {
    ringcast: Ringcast
  }
}

/** Waits until the page says so; `what` reads the view. */
export async function until(page: Page, what: () => boolean, timeout = 20_000): Promise<void> {
  await page.waitForFunction(what, undefined, { timeout, polling: 'raf' })
}

export const live = (page: Page): Promise<void> => until(page, () => window.ringcast?.live === true)

export const legitimate = (page: Page): Promise<void> =>
  until(page, () => window.ringcast.phase === 'legitimate', 60_000)

/** Plays the growth fast, then goes on at the usual speed. */
export async function grown(page: Page): Promise<void> {
  await live(page)
  await speed(page, 20)
  await legitimate(page)
  await speed(page, 1)
}

export async function node(page: Page, id: string): Promise<NodeView> {
  const found = await page.evaluate((wanted) => window.ringcast.node(wanted), id)
  if (!found) throw new Error(`no node ${id}`)
  return found
}

/** Does what starts a new run, and waits for it; the session it replaced. */
export async function newRun(page: Page, start: () => Promise<void>): Promise<string> {
  const before = await page.evaluate(() => window.ringcast.session)
  await start()
  await page.waitForFunction((id) => window.ringcast.live && window.ringcast.session !== id, before)
  return before
}

/** Seventeen nodes, three that listen: for what has nothing to do with the size of a network. */
const MESH = {
  version: 1,
  name: 'A small mesh',
  topology: { kind: 'builtin', name: 'mesh-17' },
  radio: { kind: 'ideal', delay_s: 0.12 },
  protocol: { name: 'psvr', params: { number_s: 0.5, lease_s: 3, forget_s: 8 } },
  events: [
    { t: 2, do: 'subscribe', node: 'P', channel: 'weather' },
    { t: 2, do: 'subscribe', node: 'A', channel: 'weather' },
    { t: 3, do: 'subscribe', node: 'L', channel: 'weather' },
    { t: 20, do: 'publish', node: 'G', channel: 'weather' },
  ],
  duration_s: 600,
}

/** Opens the small mesh by a link, and plays it. */
export async function openMesh(page: Page, url = ''): Promise<void> {
  const made = await page.request.post(`${url}/api/sessions`, { data: { scenario: MESH } })
  const { id } = (await made.json()) as { id: string }
  const kept = await page.request.get(`${url}/api/sessions/${id}/link`)
  const { url_path: path } = (await kept.json()) as { url_path: string }
  await page.goto(`${url}${path}`)
  await live(page)
  await page.getByRole('button', { name: 'Play' }).click()
}

/** Opens a scenario document as a visitor would: as a file. */
export async function openScenario(page: Page, scenario: Record<string, unknown>): Promise<void> {
  const buffer = Buffer.from(JSON.stringify(scenario))
  await page
    .getByRole('button', { name: /nodes$/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Open a file' }).click()
  await newRun(page, () =>
    page.getByTestId('file').setInputFiles({ name: 'scenario.json', mimeType: 'application/json', buffer }),
  )
}

/** A chosen speed. */
export async function speed(page: Page, value: number): Promise<void> {
  await page.getByRole('combobox', { name: 'Speed' }).selectOption(String(value))
}

/** Waits until the camera rests: every node is where it was in the picture before. */
export async function rested(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const look = (): string =>
      JSON.stringify(window.ringcast.nodes().map((id) => window.ringcast.node(id)?.screen))
    for (let before = '', pictures = 0; pictures < 600; pictures++) {
      await new Promise(requestAnimationFrame)
      const now = look()
      if (now === before) return
      before = now
    }
    throw new Error('the camera does not come to rest')
  })
}

/**
 * An inner node that can be clicked: up, not the root, with children, in the open so that the pointer hits it and
 * nothing lies above it.
 */
export async function clickable(page: Page, skip: readonly string[] = []): Promise<string> {
  await rested(page)
  const found = await page.evaluate((not) => {
    const view = window.ringcast
    const all = view.nodes().map((id) => ({ id, at: view.node(id) }))
    const parents = new Set(all.map(({ at }) => at?.parent))
    const apart = (a: { x: number; y: number }, b: { x: number; y: number }): number =>
      Math.hypot(a.x - b.x, a.y - b.y)
    return all.find(({ id, at }) => {
      if (!at?.screen || !at.alive || at.root || at.subscriber || !parents.has(id) || not.includes(id))
        return false
      const { screen } = at
      const free = all.every(
        ({ id: other, at: o }) => other === id || !o?.screen || apart(o.screen, screen) > 9,
      )
      const above = document.elementFromPoint(screen.x, screen.y)
      return free && above instanceof HTMLElement && above.closest('[data-picture=network]') !== null
    })?.id
  }, skip)
  if (found === undefined) throw new Error('no node stands free')
  return found
}

export async function clickNode(page: Page, id: string): Promise<void> {
  await rested(page)
  const { screen } = await node(page, id)
  if (!screen) throw new Error(`${id} is not on the screen`)
  await page.mouse.click(screen.x, screen.y)
}

/** Colours on the network's node layer around a node: how many pixels differ from the ground. */
export async function painted(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(
      '[data-picture=network] canvas[data-layer=nodes]',
    )
    const context = canvas?.getContext('2d')
    if (!canvas || !context || !canvas.width) return 0
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
    let ink = 0
    for (let i = 3; i < data.length; i += 4) if ((data[i] ?? 0) > 0) ink++
    return ink
  })
}

export async function menuItem(page: Page, name: string | RegExp): Promise<void> {
  await page.getByTestId('node-menu').getByRole('menuitem', { name }).click()
}

export { expect }
