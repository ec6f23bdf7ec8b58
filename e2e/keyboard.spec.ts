import { test } from './fixtures.ts'
import { expect, grown, openMesh, rested, until } from './page.ts'

test('everything a pointer can do, the keyboard can', async ({ page }) => {
  await openMesh(page)
  await grown(page)

  const network = page.locator('[data-picture=network]')
  for (let i = 0; i < 40 && !(await network.evaluate((el) => el === document.activeElement)); i++)
    await page.keyboard.press('Tab')
  await expect(network).toBeFocused()

  // Arrows walk from node to node; Enter opens the menu at the one reached.
  await page.keyboard.press('ArrowRight')
  const name = page.getByLabel('Inspector').getByRole('heading', { level: 2 })
  const first = await name.innerText()
  await page.keyboard.press('ArrowDown')
  await expect(name).not.toHaveText(first)
  await page.keyboard.press('Enter')
  const menu = page.getByTestId('node-menu')
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(menu.getByRole('menuitem').nth(1)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(network).toBeFocused()

  const down = (): Promise<number> =>
    page.evaluate(() => window.ringcast.nodes().filter((id) => !window.ringcast.node(id)?.alive).length)
  await page.keyboard.press('f')
  await expect.poll(down).toBe(1)
  await page.keyboard.press('f')
  await expect.poll(down).toBe(0)

  const listeners = (): Promise<number> =>
    page.evaluate(() => window.ringcast.nodes().filter((id) => window.ringcast.node(id)?.subscriber).length)
  const before = await listeners()
  await page.keyboard.press('s')
  await expect.poll(listeners).not.toBe(before)

  const publications = await page.evaluate(() => window.ringcast.publications.length)
  await page.keyboard.press('p')
  await page.waitForFunction((n) => window.ringcast.publications.length > n, publications)

  await page.keyboard.press('Space')
  await until(page, () => !window.ringcast.playing)
  const t = await page.evaluate(() => window.ringcast.t)
  // The clock on the page may have run ahead of the server's by a frame when it was stopped: one step may not pass it.
  const stepped = async (): Promise<number> => {
    await page.keyboard.press('.')
    return page.evaluate(() => window.ringcast.t)
  }
  await expect.poll(stepped).toBeGreaterThan(t)

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeHidden()
})

test('a node is moved without a pointer', async ({ page }) => {
  await openMesh(page)
  await page.locator('[data-picture=network]').focus()
  await page.keyboard.press('ArrowRight')
  await until(page, () => window.ringcast.selected !== null)
  const moved = await page.evaluate(() => window.ringcast.selected ?? '')
  await page.keyboard.press('m')
  await expect(page.getByText('Click where')).toBeVisible()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.waitForFunction((id) => window.ringcast.selected !== id, moved)
  const target = await page.evaluate(() => window.ringcast.selected ?? '')
  await rested(page) // beside it is so many pixels of the picture there is at that moment
  await page.keyboard.press('Enter')
  await expect(page.getByText('Click where')).toBeHidden()
  await until(page, () => window.ringcast.commands.includes('move-node'))
  // It lies beside the node that was walked to, to the right of it and below.
  await page.waitForFunction(
    (ids) => {
      const [a, b] = ids.map((id) => window.ringcast.node(id)?.screen)
      return !!a && !!b && Math.hypot(a.x - b.x - 14, a.y - b.y - 14) < 3
    },
    [moved, target],
  )
})
