import { defineConfig } from '@playwright/test'
import { ARGUMENTS, findBrowser } from './browser.ts'
import { MEASURING } from './measuring.ts'

const browser = await findBrowser()

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  // Those that measure times don't share the machine.
  workers: MEASURING ? 1 : 2,
  retries: 0, // one that passes only at times is broken
  forbidOnly: !!process.env.CI,
  timeout: 120_000, // a busy machine is slow, not broken
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    launchOptions: { ...browser, args: ARGUMENTS, chromiumSandbox: false },
    screenshot: 'only-on-failure',
    // Recording slows what is measured: ask for it with --trace retain-on-failure.
    trace: 'off',
  },
})
