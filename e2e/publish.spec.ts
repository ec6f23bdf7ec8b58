import { test } from './fixtures.ts'
import { clickNode, clickable, expect, grown, legitimate, menuItem, openMesh, speed } from './page.ts'

test('subscribe, publish, delivered', async ({ page }) => {
  await openMesh(page)
  await grown(page)
  await speed(page, 10)

  const listener = await clickable(page)
  await clickNode(page, listener)
  await menuItem(page, 'Subscribe')
  await page.waitForFunction((id) => window.ringcast.node(id)?.subscriber === true, listener)
  await legitimate(page)

  await speed(page, 1)
  const speaker = await clickable(page, [listener])
  await clickNode(page, speaker)
  await menuItem(page, 'Publish')
  // Not the latest one: the scenario publishes too.
  await page.waitForFunction((who) => {
    const own = window.ringcast.publications.findLast((p) => p.node === who)
    return own !== undefined && own.delivered === own.expected
  }, speaker)
  const latest = await page.evaluate(
    (who) => window.ringcast.publications.findLast((p) => p.node === who),
    speaker,
  )
  expect(latest?.expected).toBeGreaterThan(1)
  expect(latest?.duplicates).toBe(0)
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Inspector')).toContainText(`${latest?.expected} of ${latest?.expected}`)
})
