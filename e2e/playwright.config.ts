import { defineConfig } from '@playwright/test'
import { ARGUMENTS, findBrowser } from './browser.ts'

const browser = await findBrowser()

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  // Some tests measure times, so they don't share the machine; and one that passes only at times is broken.
  workers: 1,
  retries: 0,
  forbidOnly: !!process.env.CI,
  timeout: 60_000,
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
