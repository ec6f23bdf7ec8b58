import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from './fixtures.ts'
import { clickNode, clickable, expect, grown, live, menuItem, openMesh, until } from './page.ts'

test('a shared run opens identically, and the badge says so until somebody acts', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openMesh(page)
  await grown(page)
  const victim = await clickable(page)
  await clickNode(page, victim)
  await menuItem(page, 'Fail')
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === false, victim)
  await page.getByRole('button', { name: 'Pause' }).click()
  await until(page, () => !window.ringcast.playing)

  await page.getByRole('button', { name: 'Share' }).click()
  const url = await page.getByTestId('share-url').inputValue()
  const digest = await page.getByTestId('share-digest').innerText()
  expect(new URL(url).hash).toMatch(/^#s1\./)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)

  const friend = await context.newPage()
  await friend.goto(url)
  await live(friend)
  await until(friend, () => window.ringcast.verified !== null)
  expect(await friend.evaluate(() => window.ringcast.digest)).toBe(digest)
  await expect(friend.getByTestId('identical')).toBeVisible()
  expect(friend.url()).toBe(url)
  expect(await friend.evaluate((id) => window.ringcast.node(id)?.alive, victim)).toBe(false)

  await clickNode(friend, victim)
  await menuItem(friend, 'Restore')
  await friend.waitForFunction((id) => window.ringcast.node(id)?.alive === true, victim)
  await expect(friend.getByTestId('identical')).toBeHidden()
  expect(new URL(friend.url()).hash).toBe('')
})

test.describe('a link that cannot be opened', () => {
  test.use({ expectedErrors: [/422|404/] })

  for (const [what, path] of [
    ['truncated', '/#s1.eJyrVkrLz1eyUkpKLFKq'],
    ['altered', '/#s1.!!!!'],
    ['from a newer version', '/#s9.eJyrVkrLz1eyUkpKLFKq'],
    ['unknown', '/s/0123456789abcdef'],
  ] as const) {
    test(`${what}: says why and offers a way on`, async ({ page }) => {
      await page.goto(path)
      const obstacle = page.getByTestId('obstacle')
      await expect(obstacle).toContainText('This link cannot be opened')
      await expect(obstacle.getByRole('alert')).not.toBeEmpty()
      await obstacle.getByRole('button', { name: 'Start with an example' }).click()
      await live(page)
      await expect(obstacle).toBeHidden()
    })
  }
})

test('a watcher sees the run, cannot act on it, and can fork it', async ({ page, browser, baseURL }) => {
  await openMesh(page)
  const session = await page.evaluate(() => window.ringcast.session)
  const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) })
  const watcher = await context.newPage()
  await watcher.goto(`/#watch.${session}`)
  await live(watcher)
  expect(await watcher.evaluate(() => window.ringcast.session)).toBe(session)
  await expect(watcher.getByText('You are watching')).toBeVisible()
  await expect(watcher.getByRole('button', { name: /^(Pause|Play)$/ })).toBeDisabled()
  await watcher.getByRole('button', { name: 'Fork' }).click()
  await watcher.waitForFunction((id) => window.ringcast.session !== id && window.ringcast.live, session)
  await expect(watcher.getByRole('button', { name: /^(Pause|Play)$/ })).toBeEnabled()
  await context.close()
})

test('a long link can be shortened, and opens the same run', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openMesh(page)
  const before = await page.evaluate(() => window.ringcast.session)
  // A network of its own makes a long link: a circle of 400 with unguessable names.
  const names = Array.from({ length: 400 }, (_, i) => `${(i * 7919) % 104_729}-${(i * 6101) % 15_485_863}`)
  const list = names.map((name, i) => `${name} ${names[(i + 1) % names.length] ?? ''}`).join('\n')
  await page
    .getByRole('button', { name: /nodes$/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Open a file' }).click()
  await page
    .getByTestId('file')
    .setInputFiles({ name: 'circle.edges', mimeType: 'text/plain', buffer: Buffer.from(list) })
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await page.waitForFunction((id) => window.ringcast.live && window.ringcast.session !== id, before)
  await page.getByRole('button', { name: 'Pause' }).click()
  await until(page, () => !window.ringcast.playing)

  await page.getByRole('button', { name: 'Share' }).click()
  const panel = page.getByRole('dialog', { name: 'Share this run' })
  await panel.getByRole('button', { name: 'Make a short link' }).click()
  await expect(panel).toContainText('keeps it until')
  const url = await page.getByTestId('share-url').inputValue()
  const digest = await page.getByTestId('share-digest').innerText()
  expect(new URL(url).pathname).toMatch(/^\/s\/[\w-]+$/)

  const friend = await context.newPage()
  await friend.goto(url)
  await live(friend)
  await until(friend, () => window.ringcast.verified !== null)
  expect(await friend.evaluate(() => window.ringcast.digest)).toBe(digest)
  expect(friend.url()).toBe(url)
})

test('a link from another engine says so, and runs as it is', async ({ page }) => {
  const make = [
    'from engine.world.share import encode',
    'from engine.world.scenario import load_scenario',
    's = {"version": 1, "topology": {"kind": "builtin", "name": "psvr-fig5"}, "protocol": {"name": "psvr"}, "duration_s": 60}',
    'print(encode(load_scenario(s), engine="0.9.0", digest="0" * 16, end_s=2.0))',
  ].join('\n')
  const { stdout } = spawnSync('.venv/bin/python', ['-c', make], {
    cwd: resolve(import.meta.dirname, '..'),
    encoding: 'utf8',
  })
  await page.goto(`/#${stdout.trim()}`)
  const obstacle = page.getByTestId('obstacle')
  await expect(obstacle).toContainText('Recorded with engine 0.9.0')
  await obstacle.getByRole('button', { name: 'Run as is' }).click()
  await live(page)
  await until(page, () => window.ringcast.verified !== null)
  await expect(page.getByTestId('different')).toBeVisible()
})
