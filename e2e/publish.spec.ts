import { test } from './fixtures.ts'
import { clickNode, clickable, expect, legitimate, live, menuItem, speed, until } from './page.ts'

test('subscribe, publish, delivered', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await speed(page, 10)
  await legitimate(page)

  const listener = await clickable(page)
  await clickNode(page, listener)
  await menuItem(page, 'Subscribe')
  await page.waitForFunction((id) => window.ringcast.node(id)?.subscriber === true, listener)
  await legitimate(page)

  await speed(page, 1)
  const speaker = await clickable(page, [listener])
  await clickNode(page, speaker)
  const before = await page.evaluate(() => window.ringcast.publications.length)
  await menuItem(page, 'Publish')
  await page.waitForFunction((n) => window.ringcast.publications.length > n, before)
  await until(page, () => {
    const latest = window.ringcast.publications.at(-1)
    return latest !== undefined && latest.delivered === latest.expected
  })
  const latest = await page.evaluate(() => window.ringcast.publications.at(-1))
  expect(latest?.node).toBe(speaker)
  expect(latest?.expected).toBeGreaterThan(1)
  expect(latest?.duplicates).toBe(0)
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Inspector')).toContainText(`${latest?.expected} of ${latest?.expected}`)
})
