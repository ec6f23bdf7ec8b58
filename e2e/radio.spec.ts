import { test } from './fixtures.ts'
import { expect, live, newRun, openMesh, openScenario, speed, until } from './page.ts'

const MOTES = {
  version: 1,
  name: 'Motes in a field',
  seed: 3,
  topology: { kind: 'geometric', n: 25, range_m: 35, side_m: 90 },
  protocol: { name: 'psvr' },
  duration_s: 600,
}

test.use({ expectedErrors: [/422/] })

test('a radio that needs metres says so where it was chosen, and the run is untouched', async ({ page }) => {
  await openMesh(page)
  const before = await page.evaluate(() => window.ringcast.session)
  await page.getByRole('button', { name: /^Radio/ }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a radio' })
  await panel.getByRole('button', { name: /^CC2420 as in Castalia/ }).click()
  await panel.getByRole('button', { name: 'Start a new run' }).click()
  await expect(panel.getByRole('alert')).toContainText('no positions in metres')
  await expect(panel.getByRole('alert')).toContainText('Allowed: unit-disk or ideal here')
  await expect(panel).toContainText('Your current run is untouched')
  expect(await page.evaluate(() => window.ringcast.session)).toBe(before)
})

test('a real radio brings its parameters along, loses messages for a reason, and can be undone', async ({
  page,
}) => {
  await openMesh(page)
  await openScenario(page, MOTES)
  expect(await page.evaluate(() => window.ringcast.radio)).toBe('ideal')
  await page.getByRole('button', { name: /^Radio/ }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a radio' })
  await panel.getByRole('button', { name: /^CC2420 as in Castalia/ }).click()
  await expect(panel).toContainText('heard some 46 m away')
  await expect(panel.getByRole('checkbox', { name: /^Hello period/ })).toBeChecked()
  await panel.getByRole('checkbox', { name: /^Lease/ }).uncheck()
  const ideal = await newRun(page, () => panel.getByRole('button', { name: 'Start a new run' }).click())
  expect(await page.evaluate(() => window.ringcast.radio)).toBe('log-distance')
  await expect(page.getByRole('button', { name: 'Radio: CC2420 as in Castalia' })).toBeVisible()

  await speed(page, 10)
  await until(page, () => (window.ringcast.dropped['fading'] ?? 0) > 0 && window.ringcast.bursts > 0)
  await expect(page.getByTestId('lost')).toHaveAttribute('title', /faded/)

  await page.getByRole('button', { name: /^PSVR/ }).click()
  const protocol = page.getByRole('dialog', { name: 'Choose a protocol and its parameters' })
  await expect(protocol.getByLabel(/^Hello period/)).toHaveValue('4')
  await expect(protocol.getByLabel(/^Quality to begin/)).toHaveValue('0.7')
  await expect(protocol.getByLabel(/^Lease/)).toHaveValue('10')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.waitForFunction((id) => window.ringcast.live && window.ringcast.session === id, ideal)
  expect(await page.evaluate(() => window.ringcast.radio)).toBe('ideal')
  await until(page, () => window.ringcast.playing)
})

test('settings are those of the schema, and numbers out of range are named', async ({ page }) => {
  await openMesh(page)
  await openScenario(page, MOTES)
  await page.getByRole('button', { name: /^Radio/ }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a radio' })
  // What is no preset shows its settings.
  await panel.getByLabel('Kind').selectOption('unit-disk')
  const start = panel.getByRole('button', { name: 'Start a new run' })
  await panel.getByLabel(/^Retries/).fill('1.5')
  await expect(panel).toContainText('a whole number is needed')
  await expect(start).toBeDisabled()
  await panel.getByLabel(/^Retries/).fill('1')
  await newRun(page, () => start.click())
  await page.getByRole('button', { name: 'Radio: Unit disk' }).click()
  await expect(panel.getByLabel(/^Retries/)).toHaveValue('1')
})

test('a link tells how good it is both ways, where that is known', async ({ page }) => {
  await page.goto('/')
  await live(page)
  // The picture may still be settling: look for the link anew until a click meets it.
  await expect(async () => {
    const middle = await page.evaluate(() => {
      const at = (id: string) => window.ringcast.node(id)?.screen
      const apart = (a: { x: number; y: number }, b: { x: number; y: number }): number =>
        Math.hypot(a.x - b.x, a.y - b.y)
      for (const [a, b] of window.ringcast.links) {
        const [p, q] = [at(a), at(b)]
        if (!p || !q || apart(p, q) < 50) continue
        const m = { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 }
        const free = window.ringcast.nodes().every((id) => apart(at(id) ?? { x: -99, y: -99 }, m) > 16)
        const above = document.elementFromPoint(m.x, m.y)
        if (free && above?.closest('[data-picture=network]')) return m
      }
      return null
    })
    await page.mouse.click(middle?.x ?? 0, middle?.y ?? 0)
    await expect(page.getByTestId('quality')).toHaveText(/^\s*(\d+ %|–) there, (\d+ %|–) back\s*$/, {
      timeout: 2000,
    })
  }).toPass({ timeout: 60_000 })
})
