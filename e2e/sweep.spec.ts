import type { Page } from '@playwright/test'
import { test as base } from './fixtures.ts'
import { expect, live, newRun, openScenario, speed, until } from './page.ts'
import { Server } from './server.ts'

/** Spark takes its time to start: once for all of these tests, on a server that no other test waits for. */
const test = base.extend<object, { sweeping: Server }>({
  sweeping: [
    async ({}, use) => {
      const server = await Server.start()
      await use(server)
      await server.dispose()
      expect(server.died).toBe('')
      expect(server.log, 'the server prints no traceback').not.toContain('Traceback')
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ sweeping }, use) => use(sweeping.url),
})

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

/** Pixels that something is drawn on in the picture of the selected run's network. */
async function inked(page: Page): Promise<number> {
  return page
    .getByTestId('run-network')
    .locator('canvas')
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement
      const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data
      return data?.filter((x, i) => i % 4 === 3 && x > 0).length ?? 0
    })
}

test.describe('a sweep', () => {
  test.describe.configure({ timeout: 300_000 }) // Spark starts cold

  test('is started, draws itself, and opens the run behind a dot, digest and all', async ({ page }) => {
    await page.goto('/')
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
    const network = page.getByTestId('run-network')
    await expect(network).toHaveAttribute('data-run', first)
    await expect(network).toContainText(/12 nodes, \d+ links, mean degree 4.*Tree \d hops deep/)
    await expect.poll(() => inked(page)).toBeGreaterThan(300)
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

  test('is cancelled while it runs, keeps what is done, and goes on from there', async ({ page }) => {
    const runs = 360 // seconds on any machine, so that it can be interrupted
    const values = [SCENARIO.topology, { kind: 'gnp', n: 12, mean_degree: 6 }]
    const axes = [{ path: 'topology', values, labels: ['Sparse', 'Random'] }]
    const data = { version: 1, base: SCENARIO, axes, repetitions: runs / 2, method: 'interpreted' }
    const { id } = (await (await page.request.post('/api/sweeps', { data })).json()) as { id: string }
    await page.goto(`/sweep/${id}`)
    const state = page.getByTestId('sweep-state')
    const done = page.getByTestId('sweep-done')
    const chart = page.getByTestId('sweep-chart')
    const cancel = page.getByRole('button', { name: 'Cancel' })
    await expect(done).toHaveText(new RegExp(`^[1-9]\\d* of ${runs} runs$`), { timeout: 200_000 })
    await cancel.click()

    await expect(state).toHaveAttribute('data-state', 'cancelled')
    await expect(state).toHaveText('Cancelled. What is done is kept.')
    await expect(cancel).toBeHidden()
    // What was being written at that moment may come on top of what was counted.
    const kept = Number.parseInt(await done.innerText())
    const dots = async (): Promise<number> => Number(await chart.getAttribute('data-dots'))
    await expect.poll(dots).toBeGreaterThanOrEqual(kept)
    await page.reload()
    await expect(done).toHaveText(`${kept} of ${runs} runs`)
    await expect.poll(dots).toBeGreaterThanOrEqual(kept)
    expect(await dots()).toBeLessThan(runs)
    await chart.focus()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByTestId('sweep-run')).toBeVisible()

    await page.getByRole('button', { name: 'Resume' }).click()
    await expect(state).toHaveAttribute('data-state', 'done', { timeout: 200_000 })
    await expect(done).toHaveText(`${runs} of ${runs} runs`)
    await expect(chart).toHaveAttribute('data-dots', `${runs}`)
    await expect(page.getByTestId('finding')).not.toContainText('too few')
    // Whole networks go by their labels.
    await expect(page.getByRole('columnheader', { name: 'Random' })).toBeVisible()
  })

  test('goes along whole networks and radios that are ticked off a list', async ({ page }) => {
    await page.goto('/')
    await live(page)
    await openScenario(page, SCENARIO)
    await page.getByRole('button', { name: 'Sweep' }).click()
    const listed = (group: string) => page.getByRole('region', { name: group }).getByRole('button')
    await listed('Network').filter({ hasText: 'Leipzig mesh' }).click()
    const form = page.locator('form')
    await form.getByRole('button', { name: /^Network/ }).click()
    await form.getByRole('checkbox', { name: /^Grid/ }).uncheck()
    await form.getByRole('checkbox', { name: /^17-node mesh/ }).check()
    await listed('Radio').filter({ hasText: 'Unit disk' }).click()
    await form.getByRole('button', { name: /^Radio/ }).click()
    await form.getByRole('checkbox', { name: /^CC2420 as in Castalia/ }).uncheck()
    await expect(page.getByTestId('sweep-runs')).toHaveText('360 runs')
    // The server has nothing against it.
    await expect(page.getByText(/^6 × 60 seeds, compiled/)).toBeVisible({ timeout: 60_000 })

    await page.getByRole('button', { name: 'Edit as a document' }).click()
    const text = await page.getByRole('textbox', { name: 'Sweep document' }).inputValue()
    const { axes } = JSON.parse(text) as { axes: unknown }
    expect(axes).toMatchObject([
      {
        path: 'radio',
        values: [{ kind: 'ideal' }, { kind: 'unit-disk' }],
        labels: ['Ideal', 'Unit disk'],
      },
      {
        path: 'topology',
        values: [
          SCENARIO.topology,
          { kind: 'gnp', n: 12, mean_degree: 4 },
          { kind: 'builtin', name: 'mesh-17' },
        ],
        labels: ['Random geometric', 'Random', '17-node mesh'],
      },
    ])
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
