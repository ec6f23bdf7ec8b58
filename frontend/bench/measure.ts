/**
 * Times the pictures in a real browser, and weighs what a visitor loads first: `npm run bench:page`.
 *
 * Prints one line per figure with its limit; exits with 1 when one is missed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type CDPSession, type Page } from '@playwright/test'
import { createServer } from 'vite'
import { ARGUMENTS, findBrowser } from '../../e2e/browser.ts'

const root = resolve(import.meta.dirname, '..')
let missed = false

function report(what: string, value: number, limit: number, unit: string): void {
  missed ||= value > limit
  const verdict = value > limit ? 'MISSED' : 'ok'
  process.stdout.write(
    `${what.padEnd(52)} ${value.toFixed(1).padStart(7)} ${unit}  (limit ${limit}) ${verdict}\n`,
  )
}

/** Milliseconds between frames while `act` runs. */
async function frames(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = []
    const tick = (t: number): void => {
      times.push(t)
      window.frameTimes = times
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await act()
  const times = await page.evaluate(() => window.frameTimes)
  return times.slice(1).map((t, i) => t - times[i]!)
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Infinity

/** CPU milliseconds of the browser's processes so far: unlike times between frames, no matter what else is running. */
async function cpu(session: CDPSession): Promise<{ page: number; compositor: number }> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const of = (type: string): number =>
    processInfo.filter((p) => p.type === type).reduce((sum, p) => sum + p.cpuTime * 1000, 0)
  return { page: of('renderer'), compositor: of('GPU') }
}

/** Reports the median frame while `act` runs, and what a frame costs. */
async function time(
  page: Page,
  session: CDPSession,
  what: string,
  limit: number,
  act: () => Promise<void>,
): Promise<void> {
  const before = await cpu(session)
  const times = await frames(page, act)
  const after = await cpu(session)
  report(what, median(times), limit, 'ms')
  const each = (key: 'page' | 'compositor'): string => ((after[key] - before[key]) / times.length).toFixed(1)
  process.stdout.write(
    `    CPU a frame: ${each('page')} ms of the page, ${each('compositor')} ms of the compositor\n`,
  )
}

/** Drags the network to and fro for about `ms`. */
async function pan(page: Page, ms: number): Promise<void> {
  const until = Date.now() + ms
  await page.mouse.move(340, 300)
  await page.mouse.down()
  for (let i = 0; Date.now() < until; i++)
    await page.mouse.move(340 + 90 * Math.sin(i / 15), 300 + 60 * Math.cos(i / 11))
  await page.mouse.up()
}

/** Until `count` frames have been painted. */
const wait = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    (n) =>
      new Promise<void>((done) => {
        let left = n
        const tick = (): void => (left-- > 0 ? void requestAnimationFrame(tick) : done())
        tick()
      }),
    count,
  )

/** Bytes, compressed, of the scripts that the built page loads before anything else. */
function initialScript(): number | null {
  const index = join(root, 'dist/index.html')
  if (!existsSync(index)) return null
  const named = [...readFileSync(index, 'utf8').matchAll(/(?:src|href)="[./]*(assets\/[^"]+\.js)"/g)].map(
    (m) => m[1]!,
  )
  const files = new Set(readdirSync(join(root, 'dist/assets')))
  return named
    .filter((file) => files.has(file.slice('assets/'.length)))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(root, 'dist', file)), { level: 9 }).length, 0)
}

const server = await createServer({
  root,
  configFile: false,
  logLevel: 'error',
  server: { port: 0, host: '127.0.0.1' },
})
await server.listen()
const address = server.httpServer?.address()
const base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/bench/index.html`
const found = await findBrowser()
const browser = await chromium.launch({
  executablePath: found.executablePath,
  chromiumSandbox: false,
  args: ARGUMENTS,
  ...(found.env ? { env: found.env } : {}),
})
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const open = async (query: string): Promise<void> => {
    await page.goto(`${base}?${query}`)
    await page.waitForFunction(() => window.bench !== undefined)
    await wait(page, 30)
  }
  await open('n=1000&messages=1000')
  const session = await browser.newBrowserCDPSession()
  const moving = await page.evaluate(() => window.bench.inFlight())
  await time(page, session, `1,000 nodes, ${moving} messages in flight, panning`, 17, () => pan(page, 5000))
  await time(page, session, `1,000 nodes, ${moving} messages in flight, at rest`, 17, () => wait(page, 200))
  await open('n=10000&messages=0')
  await time(page, session, '10,000 nodes, at rest', 20, () => wait(page, 200))
  await time(page, session, '10,000 nodes, panning', 50, () => pan(page, 4000))
} finally {
  await browser.close()
  await server.close()
}
const bytes = initialScript()
if (bytes === null) process.stdout.write('first script: build first (npm run build)\n')
else report('first script, gzip', bytes / 1000, 120, 'kB')
process.exitCode = missed ? 1 : 0

declare global {
  interface Window {
    frameTimes: number[]
  }
}
