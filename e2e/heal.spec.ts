import { test } from './fixtures.ts'
import {
  clickNode,
  clickable,
  expect,
  grown,
  legitimate,
  menuItem,
  node,
  openMesh,
  speed,
  until,
} from './page.ts'

test('a router killed on the canvas turns layers wrong, and they heal', async ({ page }) => {
  await page.goto('/')
  await grown(page)
  const victim = await clickable(page)
  await clickNode(page, victim)
  await menuItem(page, 'Fail')
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === false, victim)
  await until(page, () => window.ringcast.layers.some((layer) => layer.wrong > 0))
  await expect(page.getByTestId('stopwatch')).toContainText('Healing')
  await expect(page.getByTestId('stopwatch')).toContainText('failed')
  await speed(page, 10)
  await legitimate(page)
  await expect(page.getByTestId('stopwatch')).toContainText('to heal after')
  expect((await node(page, victim)).alive).toBe(false)

  await clickNode(page, victim)
  await menuItem(page, 'Restore')
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === true, victim)
  await legitimate(page)
})

test('undo takes the fault back', async ({ page }) => {
  await openMesh(page)
  await grown(page)
  const victim = await clickable(page)
  await clickNode(page, victim)
  await menuItem(page, 'Fail')
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === false, victim)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForFunction((id) => window.ringcast.node(id)?.alive === true, victim)
})

test('corrupting everything is survived', async ({ page }) => {
  await page.goto('/')
  await grown(page)
  await page.getByRole('button', { name: 'Act' }).click()
  await page.getByRole('button', { name: 'Corrupt every variable' }).click()
  await until(page, () => window.ringcast.layers.every((layer) => layer.wrong > 0))
  await expect(page.getByTestId('stopwatch')).toContainText('everything was corrupted')
  await speed(page, 20)
  await legitimate(page)
})

test('a cut network is judged part by part', async ({ page }) => {
  await openMesh(page)
  await grown(page)
  await page.getByRole('button', { name: 'Act' }).click()
  await page.getByRole('button', { name: 'Cut into two parts' }).click()
  const parts = page.getByRole('list', { name: 'Parts of the network' })
  await expect(parts.getByRole('listitem').first()).toBeVisible()
  await page.getByRole('button', { name: 'Act' }).click()
  await page.getByRole('button', { name: 'Restore everything that failed' }).click()
  await expect(parts).toBeHidden()
})
