/**
 * Finds a Chromium to test with, so that nobody has to install one.
 *
 * In this order: the one that E2E_CHROMIUM names, Playwright's own, the system's, and the one inside the npm package
 * `@sparticuz/chromium`, which is unpacked once, with the libraries a bare system lacks.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join, resolve } from 'node:path'
import { chromium } from '@playwright/test'

export interface Browser {
  executablePath: string
  /** The environment it needs; undefined for the test's own. */
  env?: Record<string, string>
}

const SYSTEM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const CACHE = resolve(import.meta.dirname, '../.cache')

/** The same everywhere: no sandbox, since CI often runs as root; no graphics card; no calls home. */
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export async function findBrowser(): Promise<Browser> {
  const named = process.env.E2E_CHROMIUM
  if (named) {
    if (!existsSync(named)) throw new Error(`E2E_CHROMIUM=${named} does not exist`)
    return { executablePath: named }
  }
  const own = chromium.executablePath()
  if (existsSync(own)) return { executablePath: own }
  const system = findOnPath()
  if (system) return { executablePath: system }
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked()
  throw new Error(
    `No Chromium found: not at ${own}, nor ${SYSTEM.join(', ')} on the PATH. Install one ` +
      '(npx playwright install chromium, or apt install chromium) or name one: E2E_CHROMIUM=/path/to/chrome',
  )
}

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = SYSTEM.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync)
  // Ubuntu ships a `chromium-browser` that only asks for another package, so each has to answer.
  return found.find((path) => spawnSync(path, ['--version'], { timeout: 20_000 }).status === 0)
}

async function unpacked(): Promise<Browser> {
  const inside = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const root = join(inside, '../..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const folder = join(CACHE, `chromium-${version}`)
  if (!existsSync(folder)) await unpack(root, folder)
  writeFileSync(join(folder, 'fonts.conf'), fontSettings(folder))
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...environment(),
      LD_LIBRARY_PATH: [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

/** The package's own settings look for its fonts elsewhere, and without any font a page with a button crashes. */
function fontSettings(folder: string): string {
  const folders = [join(folder, 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts']
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((name) => `  <dir>${escaped(name)}</dir>`).join('\n')}
  <cachedir>${escaped(join(folder, 'font-cache'))}</cachedir>
</fontconfig>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** Unpack beside the place and move it there, so that an interrupted try leaves nothing half done. */
async function unpack(root: string, folder: string): Promise<void> {
  const beside = `${folder}.${process.pid}`
  const before = process.env.TMPDIR
  mkdirSync(beside, { recursive: true })
  process.env.TMPDIR = beside // where the package unpacks to
  try {
    const { default: packaged, inflate } = await import('@sparticuz/chromium')
    await packaged.executablePath()
    await inflate(join(root, 'bin/al2023.tar.br'))
    if (!existsSync(folder)) renameSync(beside, folder)
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(beside, { recursive: true, force: true })
  }
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
