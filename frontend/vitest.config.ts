import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte()],
  cacheDir: '../.cache/vitest',
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts'],
    // Tests must not lean on each other's globals or leave mocks behind.
    restoreMocks: true,
    unstubGlobals: true,
  },
})
