/**
 * What every browser test starts from: `import { expect, test } from './fixtures.ts'`.
 *
 * A test gets a page whose relative addresses go to a real server, shared by the tests of one worker. It fails when
 * the page logs an error that it did not announce, or when the server prints a traceback.
 */
import { test as base, expect } from '@playwright/test'
import { MEASURING } from './measuring.ts'
import { Server } from './server.ts'

/** Between two pictures: without a graphics card, painting sixty a second would take most of the machine. */
const PAINT_MS = 50

function paintSeldom(every: number): void {
  window.requestAnimationFrame = (paint) =>
    window.setTimeout(() => paint(performance.now()), every - (performance.now() % every))
  window.cancelAnimationFrame = (id) => window.clearTimeout(id)
}

interface PerTest {
  /** A server of the test's own, to be stopped and started at will: `await page.goto(ownServer.url)`. */
  ownServer: Server
  /** Errors in the browser's console that belong to the test: `test.use({ expectedErrors: [/WebSocket/] })`. */
  expectedErrors: RegExp[]
  quiet: undefined
}

interface PerWorker {
  server: Server
}

export const test = base.extend<PerTest, PerWorker>({
  server: [
    async ({}, use) => {
      // What earlier tests left running would slow the later ones down.
      const server = await Server.start({ RINGCAST_PAUSE_S: '1' })
      await use(server)
      await server.dispose()
    },
    { scope: 'worker' },
  ],

  baseURL: async ({ server }, use) => use(server.url),

  context: async ({ context }, use) => {
    if (!MEASURING) await context.addInitScript(paintSeldom, PAINT_MS)
    await use(context)
  },

  ownServer: async ({}, use, info) => {
    const server = await Server.start()
    await use(server)
    await server.dispose()
    await info.attach('own server', { body: server.log, contentType: 'text/plain' })
    expect(server.died).toBe('')
    expect(server.log, 'the server prints no traceback').not.toContain('Traceback')
  },

  expectedErrors: [[], { option: true }],

  quiet: [
    async ({ page, server, expectedErrors }, use, info) => {
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
      })
      const before = server.log.length
      await use(undefined)
      const printed = server.log.slice(before)
      await info.attach('server', { body: printed, contentType: 'text/plain' })
      const unexpected = errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)))
      expect(unexpected, 'the page logs no unexpected error').toEqual([])
      expect(server.died).toBe('')
      expect(printed, 'the server prints no traceback').not.toContain('Traceback')
    },
    { auto: true },
  ],
})

export { expect }
