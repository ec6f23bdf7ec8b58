import { test } from './fixtures.ts'
import { clickable, expect, grown, live, node } from './page.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

test('on a phone a tap opens a sheet with the actions', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await page.getByRole('button', { name: 'Dismiss the hint' }).tap()
  await grown(page)
  const victim = await clickable(page)
  const { screen } = await node(page, victim)
  await page.touchscreen.tap(screen?.x ?? 0, screen?.y ?? 0)
  const fail = page.getByRole('button', { name: 'Fail', exact: true })
  await expect(fail).toBeVisible()
  expect((await fail.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await fail.tap()
  await page.waitForFunction(() => window.ringcast.nodes().some((id) => !window.ringcast.node(id)?.alive))
  await page.getByRole('button', { name: 'Close' }).tap()

  await page.getByRole('button', { name: 'Ring', exact: true }).tap()
  await expect(page.getByRole('region', { name: 'Virtual ring' })).toBeVisible()
  await page.getByRole('button', { name: 'Both' }).tap()
  await expect(page.getByRole('region', { name: 'Network' })).toBeVisible()
  await page.getByRole('button', { name: 'Events' }).tap()
  await expect(page.getByTestId('log').getByText(/fail/i).first()).toBeVisible()
  await page.getByRole('button', { name: 'More' }).tap()
  await expect(page.getByRole('button', { name: 'Choose a network' })).toBeVisible()
})

test('nothing on the phone page sticks out to the side', async ({ page }) => {
  await page.goto('/')
  await live(page)
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((el) => !el.closest('[data-picture], .plot') && el.getBoundingClientRect().right > 390.5)
      .map((el) => `${el.tagName} ${el.className.toString()}`),
  )
  expect(wide).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
