import { test } from './fixtures.ts'
import { MEASURING } from './measuring.ts'
import { expect, legitimate, live, painted, speed, until } from './page.ts'

test('a first visit shows a living network at once', async ({ page }) => {
  await page.goto('/')
  const opened = await page.evaluate(() => performance.now())
  await live(page)
  await until(page, () => window.ringcast.drawn > 0.1)
  await expect.poll(() => painted(page)).toBeGreaterThan(1500)
  const shown = (await page.evaluate(() => performance.now())) - opened
  process.stdout.write(`first living picture after ${shown.toFixed(0)} ms\n`)
  if (MEASURING) expect(shown).toBeLessThan(2000)
  await expect(page.getByTestId('stopwatch')).toContainText(/Growing|Legitimate/)
})

test('time runs by itself and the ring closes', async ({ page }) => {
  await page.goto('/')
  await live(page)
  const start = await page.evaluate(() => window.ringcast.t)
  await until(page, () => window.ringcast.playing)
  await page.waitForFunction((t) => window.ringcast.t > t + 0.5, start)
  await speed(page, 5)
  await legitimate(page)
  const nodes = await page.evaluate(() => window.ringcast.nodes().length)
  await expect(page.getByRole('region', { name: 'Virtual ring' })).toContainText(
    `${(2 * (nodes - 1)).toLocaleString('en-GB')} positions`,
  )
  await expect(page.getByTestId('stopwatch')).toHaveAttribute('data-phase', 'legitimate')
  for (const layer of await page.evaluate(() => window.ringcast.layers)) expect(layer.wrong).toBe(0)
})

test('a visitor is told what to try, once', async ({ page }) => {
  await page.goto('/')
  await live(page)
  const hint = page.getByRole('complementary', { name: 'How to begin' })
  await expect(hint).toBeVisible()
  await hint.getByRole('button', { name: 'Dismiss the hint' }).click()
  await expect(hint).toBeHidden()
  await page.reload()
  await live(page)
  await expect(hint).toBeHidden()
})

test('on a projector nothing lies over the symbols, and the messages are counted in sight', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto('/')
  await live(page)
  const hint = await page.getByRole('complementary', { name: 'How to begin' }).boundingBox()
  const symbols = await page.getByTestId('symbols').boundingBox()
  if (!hint || !symbols) throw new Error('the hint or the symbols are not shown')
  expect(hint.y + hint.height).toBeLessThanOrEqual(symbols.y)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const first = await inspector.getByTestId('sent').first().boundingBox()
  const events = await inspector.getByRole('region', { name: 'Events' }).boundingBox()
  if (!first || !events) throw new Error('the messages or the events are not shown')
  expect(first.y + first.height).toBeLessThanOrEqual(events.y)
})

test('pause stops time, a step moves it on, reset brings it back to nothing', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await until(page, () => window.ringcast.t > 1)
  await page.getByRole('button', { name: 'Pause' }).click()
  await until(page, () => !window.ringcast.playing)
  const paused = await page.evaluate(() => window.ringcast.t)
  await page.getByRole('button', { name: 'Step one round' }).click()
  await page.waitForFunction((t) => window.ringcast.t > t + 0.2, paused)
  expect(await page.evaluate(() => window.ringcast.playing)).toBe(false)
  await page.getByRole('button', { name: 'Back to the start' }).click()
  await until(page, () => window.ringcast.t < 0.5)
})
