import { test } from './fixtures.ts'
import { expect, openMesh, until } from './page.ts'

test.use({ expectedErrors: [/422|413/] })

test.beforeEach(async ({ page }) => {
  await openMesh(page)
  await page
    .getByRole('button', { name: /nodes$/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Open a file' }).click()
})

for (const [name, content, says] of [
  ['unknown-node.json', JSON.stringify({ nodes: [{ id: 'a' }, { id: 'b' }], links: [['a', 'q']] }), /q/],
  [
    'scenario.json',
    JSON.stringify({
      version: 1,
      topology: { kind: 'line', n: 3 },
      protocol: { name: 'psvr' },
      duration_s: 9,
      events: [{ t: 1, do: 'fail-node', node: 'nobody' }],
    }),
    /events\[0\]\.node/,
  ],
  ['empty.graphml', '', /empty/i],
  ['binary.gml', '\u0000\u0001\u0002\u0003PNG', /./],
  ['bomb.graphml', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>', /./],
] as const) {
  test(`${name}: says what is wrong, and the run is untouched`, async ({ page }) => {
    const before = await page.evaluate(() => ({ session: window.ringcast.session, t: window.ringcast.t }))
    await page
      .getByTestId('file')
      .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })
    const panel = page.getByRole('dialog', { name: 'Choose a network' })
    await expect(panel).toContainText(`${name} cannot be opened`)
    await expect(panel.getByRole('alert')).toContainText(says)
    await expect(panel.getByRole('alert')).toContainText('Allowed')
    await expect(panel).toContainText('Your current run is untouched')
    await page.waitForFunction((t) => window.ringcast.t > t, before.t)
    expect(await page.evaluate(() => window.ringcast.session)).toBe(before.session)
  })
}

test('an edge list becomes a run', async ({ page }) => {
  const before = await page.evaluate(() => window.ringcast.session)
  const buffer = Buffer.from('a b\nb c\nc d\nd a\nb d\n')
  await page.getByTestId('file').setInputFiles({ name: 'square.edges', mimeType: 'text/plain', buffer })
  const panel = page.getByRole('dialog', { name: 'Choose a network' })
  await expect(panel).toContainText('4 nodes, 5 links')
  await panel.getByRole('button', { name: 'Start' }).click()
  await page.waitForFunction((id) => window.ringcast.live && window.ringcast.session !== id, before)
  expect(await page.evaluate(() => window.ringcast.nodes())).toEqual(['a', 'b', 'c', 'd'])
  // Nobody subscribes yet: the page offers the next step.
  await page.getByRole('button', { name: /^Subscribe \d+ at random/ }).click()
  await until(page, () => window.ringcast.nodes().some((id) => window.ringcast.node(id)?.subscriber))
})
