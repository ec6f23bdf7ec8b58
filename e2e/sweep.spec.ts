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
  workload: { publishers: 1, subscribers: 3, rate_per_s: 0.5, start_s: 15, end_s: 20 },
  duration_s: 24,
}

/** Where the k-th dot of the chart is on the screen: a circle's path begins at its left. */
async function dot(page: Page, k: number): Promise<{ x: number; y: number }> {
  const place = await page.evaluate((n) => {
    const svg = document.querySelector('[data-testid=sweep-chart] svg')
    const starts = [...(svg?.querySelectorAll('.dots path') ?? [])].flatMap((path) => [
      ...(path.getAttribute('d') ?? '').matchAll(/M([\d.]+) ([\d.]+)a([\d.]+)/g),
    ])
    const [x, y, r] = (starts[n] ?? []).slice(1).map(Number)
    const box = svg?.getBoundingClientRect()
    if (!box || x === undefined || y === undefined || r === undefined) return null
    return { x: box.left + x + r, y: box.top + y }
  }, k)
  if (!place) throw new Error(`the chart has no dot ${k}`)
  return place
}

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

  const at = await dot(page, 3)
  await page.mouse.click(at.x, at.y)
  const picked = page.getByTestId('sweep-run')
  await expect(picked).toBeVisible()
  const seed = await picked.getAttribute('data-seed')
  const digest = await picked.getAttribute('data-digest')
  expect(digest).toMatch(/^[0-9a-f]{16}$/)
  const address = page.url()
  expect(address).toContain(`run=${await picked.getAttribute('data-run')}`)

  await newRun(page, () => page.getByRole('button', { name: 'Open this run' }).click())
  await expect(page.getByRole('button', { name: `seed ${seed}`, exact: true })).toBeVisible()
  await speed(page, 100)
  await until(page, () => window.ringcast.verified !== null, 60_000)
  await expect(page.getByTestId('identical')).toHaveAttribute('title', new RegExp(`${digest}`))

  await page.goBack()
  await expect(page).toHaveURL(address)
  await expect(page.getByTestId('sweep-chart').locator('svg')).toBeVisible()
  await expect(picked).toHaveAttribute('data-digest', `${digest}`)
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
