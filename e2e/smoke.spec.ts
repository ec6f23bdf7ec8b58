import { expect, test } from './fixtures.ts'

test('the page is served and shows a picture', async ({ page }) => {
  const response = await page.goto('/')
  expect(response?.status()).toBe(200)
  await expect(page).toHaveTitle(/Ringcast/)
  await expect(page.locator('[data-picture=network] canvas[data-layer=nodes]')).toBeVisible()
})
