import { test } from './fixtures.ts'
import { expect, legitimate, live, newRun, openMesh, speed, until } from './page.ts'

test.use({ expectedErrors: [/422/] })

for (const [name, title] of [
  ['ringps', /^RingPS/],
  ['shen', /^Shen/],
] as const) {
  test(`${name} takes over the same network, its subscribers and its commands`, async ({ page }) => {
    await openMesh(page)
    const nodes = await page.evaluate(() => window.ringcast.nodes())
    await page.getByRole('button', { name: /^PSVR/ }).click()
    const panel = page.getByRole('dialog', { name: 'Choose a protocol and its parameters' })
    await panel.getByLabel('Protocol').selectOption(name)
    await newRun(page, () => panel.getByRole('button', { name: 'Start a new run' }).click())
    await expect(page.getByRole('button', { name: title })).toBeVisible()
    expect(await page.evaluate(() => window.ringcast.protocol)).toBe(name)
    expect(await page.evaluate(() => window.ringcast.nodes())).toEqual(nodes)
    await speed(page, 20)
    await legitimate(page)
    await until(
      page,
      () => window.ringcast.publications.some((p) => p.expected > 0 && p.delivered === p.expected),
      60_000,
    )
  })
}

test('parameters that mislead, or cannot be, are told where they are', async ({ page }) => {
  await page.goto('/')
  await live(page)
  await page.getByRole('button', { name: /^PSVR/ }).click()
  const panel = page.getByRole('dialog', { name: 'Choose a protocol and its parameters' })
  const start = panel.getByRole('button', { name: 'Start a new run' })
  await panel.getByLabel(/^Hello timeout/).fill('2.1')
  await expect(panel.getByTestId('caution')).toContainText('Hello timeout = 2.1 s')
  await expect(start).toBeEnabled()
  await panel.getByLabel(/^Hello timeout/).fill('0.9')
  await expect(panel.getByRole('alert')).toContainText('protocol.params.hello_timeout_s')
  await expect(start).toBeDisabled()
  await panel.getByLabel(/^Hello timeout/).fill('3.2')
  await panel.getByLabel(/^Most neighbours/).fill('3')
  await expect(panel.getByRole('alert')).toBeHidden()
  await newRun(page, () => start.click())
  // That the limit cuts this network shows only when it runs.
  await expect(page.getByTestId('notice').filter({ hasText: 'cuts the network into' })).toBeVisible()
  await page.getByTestId('warning').getByRole('button', { name: '1 warning' }).click()
  await expect(page.getByRole('dialog', { name: 'Warnings' })).toContainText(
    'Most neighbours = 3 cuts the network',
  )
})
