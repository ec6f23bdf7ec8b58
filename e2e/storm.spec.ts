import { test } from './fixtures.ts'
import { expect, legitimate, live, newRun, openMesh, speed, until } from './page.ts'

test('a storm with a seed breaks things, is told line by line, heals, and is undone as one', async ({
  page,
}) => {
  await page.goto('/')
  await live(page)
  await speed(page, 10)
  await legitimate(page)
  await page.getByRole('button', { name: 'Act' }).click()
  await page.getByRole('button', { name: 'Storm', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Act on the network' })
  await menu.getByRole('button', { name: 'Gentle' }).click()
  await expect(menu).toContainText('link flaps')
  await menu.getByLabel('Seconds', { exact: true }).fill('4')
  const seed = menu.getByLabel('Seed', { exact: true })
  const drawn = await seed.inputValue()
  await menu.getByRole('button', { name: 'Another seed' }).click()
  await expect(seed).not.toHaveValue(drawn)
  await seed.fill('42')
  await speed(page, 1) // slow enough for its damage to be seen before it has healed
  await menu.getByRole('button', { name: 'Start the storm' }).click()
  await until(page, () => window.ringcast.commands.includes('storm'))
  const log = page.getByTestId('log')
  await expect(log.getByText(/^link .* fails$/).first()).toBeVisible()
  await until(page, () => window.ringcast.layers.some((layer) => layer.wrong > 0))
  await expect(page.getByTestId('stopwatch')).toContainText('Healing')
  await expect(log.getByText(/^link .* returns$/).first()).toBeVisible()

  await speed(page, 20)
  await legitimate(page)
  await until(page, () => window.ringcast.repair?.seconds.every((s) => s !== null) === true)
  await expect(page.getByTestId('stabilised').first()).toBeVisible()

  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await until(page, () => !window.ringcast.commands.includes('storm'))
})

test('a burst of losses passes', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await page.getByRole('button', { name: 'Act' }).click()
  const menu = page.getByRole('dialog', { name: 'Act on the network' })
  await menu.getByLabel('Share of messages lost, in per cent').fill('60')
  await menu.getByLabel(/^For how long/).fill('2')
  await menu.getByRole('button', { name: 'Set' }).click()
  await until(page, () => (window.ringcast.dropped['loss'] ?? 0) > 0)
  await expect(page.getByTestId('log').getByText('a burst of losses is over')).toBeVisible()
})

test('traffic comes by itself, the share it reaches is shown, and falls when everything is lost', async ({
  page,
}) => {
  await openMesh(page)
  await page.getByRole('button', { name: 'Traffic: off' }).click()
  const panel = page.getByRole('dialog', { name: 'Traffic' })
  await panel.getByLabel('Publishers', { exact: true }).fill('3')
  await panel.getByLabel('Subscribers: number or share').selectOption('nodes')
  await panel.getByLabel('Subscribers', { exact: true }).fill('12')
  await panel.getByLabel(/^Rate/).fill('0.5')
  await expect(panel).toContainText('3 of 17 nodes publish, 12 listen: about 90 publications a minute')
  const before = await newRun(page, () => panel.getByRole('button', { name: 'Start a new run' }).click())
  await expect(page.getByRole('button', { name: 'Traffic: on' })).toBeVisible()
  await speed(page, 20)
  await until(page, () => (window.ringcast.delivery?.publications ?? 0) > 5, 60_000)
  await expect(page.getByTestId('delivery')).toContainText(/\d %/)

  await page.getByRole('button', { name: 'Act' }).click()
  const menu = page.getByRole('dialog', { name: 'Act on the network' })
  await menu.getByLabel('Share of messages lost, in per cent').fill('100')
  await menu.getByLabel(/^For how long/).fill('')
  await menu.getByRole('button', { name: 'Set' }).click()
  await until(page, () => window.ringcast.commands.includes('set-loss'))
  const share = (): Promise<number> =>
    page.evaluate(() => {
      const now = window.ringcast.delivery
      return now ? now.reached / now.expected : 1
    })
  await expect.poll(share, { timeout: 40_000 }).toBeLessThan(0.6)

  // The command first, then the traffic.
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await until(page, () => !window.ringcast.commands.includes('set-loss'))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.waitForFunction((id) => window.ringcast.live && window.ringcast.session === id, before)
  await expect(page.getByRole('button', { name: 'Traffic: off' })).toBeVisible()
})
