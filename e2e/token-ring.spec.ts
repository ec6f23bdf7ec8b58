import { test } from './fixtures.ts'
import { clickNode, clickable, expect, legitimate, live, menuItem, speed } from './page.ts'

test('another protocol: its layers, its facts, its token, and nothing it does not have', async ({ page }) => {
  await page.goto('/')
  await live(page)
  const networks = page.getByRole('dialog', { name: 'Choose a network' })
  const fresh = (before: string): Promise<unknown> =>
    page.waitForFunction((id) => window.ringcast.live && window.ringcast.session !== id, before)
  let before = await page.evaluate(() => window.ringcast.session)
  await page
    .getByRole('button', { name: /nodes$/ })
    .first()
    .click()
  await networks.getByRole('button', { name: 'Generate' }).click()
  await networks.getByLabel('Kind').selectOption('grid')
  await networks.getByLabel('Rows').fill('3')
  await networks.getByLabel('Columns').fill('3')
  await networks.getByRole('button', { name: 'Start' }).click()
  await fresh(before)
  // A command that the next protocol cannot play is left out, the others are kept.
  await page.getByRole('button', { name: /at random$/ }).click()
  await page.waitForFunction(() => window.ringcast.nodes().some((id) => window.ringcast.node(id)?.subscriber))

  before = await page.evaluate(() => window.ringcast.session)
  await page.getByRole('button', { name: /^PSVR/ }).click()
  const protocols = page.getByRole('dialog', { name: 'Choose a protocol and its parameters' })
  await protocols.getByLabel('Protocol', { exact: true }).selectOption('token-ring')
  await expect(protocols).toContainText('that Token ring does not know')
  await protocols.getByRole('button', { name: 'Start a new run' }).click()
  await fresh(before)

  await speed(page, 10)
  await legitimate(page)
  expect(await page.evaluate(() => window.ringcast.layers.map((layer) => layer.name))).toEqual([
    'neighbourhood',
    'tree',
    'ring',
    'token',
  ])
  await expect(page.getByText('Token ring', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Nobody listens yet' })).toBeHidden()

  const victim = await clickable(page)
  await clickNode(page, victim)
  const menu = page.getByTestId('node-menu')
  await expect(menu.getByRole('menuitem', { name: 'Corrupt' })).toBeVisible()
  await expect(menu.getByRole('menuitem', { name: /subscribe|publish/i })).toHaveCount(0)
  const inspector = page.getByLabel('Inspector')
  await expect(inspector.getByText('Holds the token')).toBeVisible()
  // The token comes by for a moment only: slow enough to be shown, and looked for in every frame.
  await speed(page, 1)
  const held = await inspector.elementHandle()
  await page.waitForFunction((shown) => /^at \d+$/m.test((shown as HTMLElement).innerText), held)
  await speed(page, 10)
  await menuItem(page, 'Corrupt')
  await page.waitForFunction(() => window.ringcast.phase === 'healing')
  await legitimate(page)

  // Where the token travels, magenta is drawn: nothing else of this protocol is.
  await speed(page, 1)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => {
    const canvases = document.querySelectorAll<HTMLCanvasElement>('[data-picture=network] canvas')
    return [...canvases].some((canvas) => {
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3]! > 200 && data[i]! > 150 && data[i + 1]! < 60 && data[i + 2]! > 60) return true
      return false
    })
  })

  await page.getByRole('button', { name: 'Act', exact: true }).click()
  const acts = page.getByRole('dialog', { name: 'Act on the network' })
  await expect(acts).toContainText('Token ring has no subscriptions and publications')
  await expect(acts.getByRole('button', { name: /Publish/ })).toHaveCount(0)
})
