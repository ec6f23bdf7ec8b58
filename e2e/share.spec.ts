import { test } from './fixtures.ts'
import { clickNode, clickable, expect, legitimate, live, menuItem, speed, until } from './page.ts'

test('a shared run opens identically, and the badge says so until somebody acts', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/')
  await live(page)
  await speed(page, 10)
  await legitimate(page)
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
  await page.goto('/')
  await live(page)
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
