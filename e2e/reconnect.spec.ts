import { test } from './fixtures.ts'
import { clickNode, clickable, expect, grown, live, menuItem, openMesh, until } from './page.ts'

test.use({ expectedErrors: [/WebSocket|ERR_CONNECTION|Failed to load resource/] })

test('the run goes on after the server restarts', async ({ page, ownServer }) => {
  await openMesh(page, ownServer.url)
  await grown(page)
  const victim = await clickable(page)
  await clickNode(page, victim)
  await menuItem(page, 'Fail')
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === false, victim)
  const [session, t] = await page.evaluate(() => [window.ringcast.session, window.ringcast.t] as const)

  await ownServer.down()
  const away = page.getByTestId('reconnecting')
  await expect(away).toContainText('Reconnecting, your run is kept')
  // The past stays usable: a node can be looked at.
  await clickNode(page, victim)
  await expect(page.getByLabel('Inspector').getByRole('heading', { level: 2 })).toBeVisible()
  await page.keyboard.press('Escape')

  await ownServer.up()
  await away.getByRole('button', { name: 'Try now' }).click()
  await live(page)
  await expect(away).toBeHidden()
  expect(await page.evaluate(() => window.ringcast.session)).toBe(session)
  expect(await page.evaluate(() => window.ringcast.t)).toBeGreaterThanOrEqual(t - 0.5)
  expect(await page.evaluate((id) => window.ringcast.node(id)?.alive, victim)).toBe(false)
})

test('a reload resumes the run', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await until(page, () => window.ringcast.t > 1)
  const session = await page.evaluate(() => window.ringcast.session)
  await page.reload()
  await live(page)
  expect(await page.evaluate(() => window.ringcast.session)).toBe(session)
  expect(await page.evaluate(() => window.ringcast.t)).toBeGreaterThan(1)
})

test('a session the server no longer knows gives way to a fresh run, in words', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await page.evaluate(() => {
    const kept = JSON.stringify({ id: 'long-gone', token: 'x', from: '' })
    for (const store of [sessionStorage, localStorage]) store.setItem('ringcast.session', kept)
  })
  await page.reload()
  await live(page)
  await expect(page.getByTestId('notice')).toContainText('no longer kept')
  await until(page, () => window.ringcast.t > 0.2)
})
