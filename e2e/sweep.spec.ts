import type { Page } from '@playwright/test'
import { test } from './fixtures.ts'
import { expect, live, newRun, openScenario, speed, until } from './page.ts'

/** Small enough to be played by the interpreted engine, which needs no compiler. */
const SCENARIO = {
  version: 1,
  name: 'Two densities',
  seed: 1,
  topology: { kind: 'geometric', n: 12, mean_degree: 4 },
  protocol: { name: 'psvr' },
  workload: { publishers: 1, subscribers: 3, rate_per_s: 3, start_s: 15, end_s: 20 },
  duration_s: 24,
}

/** Where the ring around the selected dot is on the screen. */
async function ring(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.getByTestId('sweep-chart').locator('svg circle').last().boundingBox()
  if (!box) throw new Error('no dot is selected')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

test.describe('a sweep', () => {
  // Its own server goes before the page does.
  test.use({ expectedErrors: [/WebSocket|ERR_CONNECTION/] })

  test('a sweep is started, draws itself, and opens the run behind a dot, digest and all', async ({
    page,
    ownServer,
  }) => {
    test.setTimeout(300_000) // Spark starts cold
    await page.goto(ownServer.url)
    await live(page)
    await openScenario(page, SCENARIO)

    await page.getByRole('button', { name: 'Sweep' }).click()
    await expect(page).toHaveURL(/\/sweep$/)
    await page.getByRole('searchbox', { name: 'Search parameters' }).fill('degree')
    await page.getByRole('button', { name: /^Mean degree/ }).click()
    const values = page.getByRole('textbox', { name: 'Values of Mean degree' })
    const start = page.getByRole('button', { name: 'Start the sweep' })
    await values.fill('8…4 step 1')
    await expect(page.getByText('the range is empty')).toBeVisible()
    await expect(start).toBeDisabled()
    await values.fill('4, 8')
    await page.getByRole('spinbutton', { name: 'Seeds' }).fill('6')
    await expect(page.getByTestId('sweep-runs')).toHaveText('12 runs')

    await page.getByRole('button', { name: 'Edit as a document' }).click()
    const text = page.getByRole('textbox', { name: 'Sweep document' })
    const document = JSON.parse(await text.inputValue()) as Record<string, unknown>
    await text.fill(JSON.stringify({ ...document, method: 'interpreted' }))
    await page.getByRole('button', { name: 'Use this' }).click()
    await expect(page.getByText('12 runs')).toBeVisible()
    await start.click()

    await expect(page).toHaveURL(/\/sweep\/[\w-]+$/)
    await expect(page.getByTestId('sweep-done')).toContainText('of 12 runs')
    await expect(page.getByTestId('sweep-state')).toHaveAttribute('data-state', 'done', { timeout: 200_000 })
    await expect(page.getByTestId('sweep-done')).toHaveText('12 of 12 runs')
    await expect(page.getByTestId('finding')).toContainText(/hops per delivery/i)
    const chart = page.getByTestId('sweep-chart')
    await expect(chart).toHaveAttribute('data-dots', '12')
    await expect(page.getByRole('row', { name: /hops per delivery/ })).toBeVisible()

    // Keys select a dot and another one; then the first is clicked where it was.
    const picked = page.getByTestId('sweep-run')
    await chart.focus()
    await page.keyboard.press('ArrowRight')
    await expect(picked).toBeVisible()
    const first = `${await picked.getAttribute('data-run')}`
    const at = await ring(page)
    await page.keyboard.press('ArrowRight')
    await expect(picked).not.toHaveAttribute('data-run', first)
    await page.mouse.click(at.x, at.y)
    await expect(picked).toHaveAttribute('data-run', first)
    const seed = await picked.getAttribute('data-seed')
    const digest = await picked.getAttribute('data-digest')
    expect(digest).toMatch(/^[0-9a-f]{16}$/)
    const address = page.url()
    expect(address).toContain(`run=${first}`)

    await newRun(page, () => page.getByRole('button', { name: 'Open this run' }).click())
    await expect(page.getByRole('button', { name: `seed ${seed}`, exact: true })).toBeVisible()
    await speed(page, 100)
    await until(page, () => window.ringcast.verified !== null, 60_000)
    await expect(page.getByTestId('identical')).toHaveAttribute('title', new RegExp(`${digest}`))

    await page.goBack()
    await expect(page).toHaveURL(address)
    await expect(page.getByTestId('sweep-chart').locator('svg').first()).toBeVisible()
    await expect(picked).toHaveAttribute('data-digest', `${digest}`)
  })
})

test.describe('a sweep that is not there', () => {
  test.use({ expectedErrors: [/404/] })

  test('says so and offers a new one', async ({ page }) => {
    await page.goto('/sweep/0123456789abcdef')
    const obstacle = page.getByTestId('sweep-obstacle')
    await expect(obstacle).toContainText('no longer here')
    await expect(obstacle.getByRole('alert')).not.toBeEmpty()
    await page.getByRole('button', { name: 'Back to the run' }).click()
    await live(page)
    await expect(page).toHaveURL(/\/$/)
  })
})
