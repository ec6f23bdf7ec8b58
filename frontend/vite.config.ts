import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [svelte()],
  cacheDir: '../.cache/vite',
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true },
  // `npm run dev` serves the sources and leaves the rest to a server that ./run started.
  server: {
    proxy: {
      '/api': server,
      '^/s/': server,
      '/ws': { target: server, ws: true },
    },
  },
})
