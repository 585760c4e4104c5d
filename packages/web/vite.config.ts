import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { leanContracts } from './build-contracts.ts'
import { buildListing } from './build-listing.ts'
import { compileHints } from './compile-hints.ts'
import { earlyScript } from './early/build-early.ts'
import { framePage } from './frame/build-frame.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the same build works under any base path.
  base: './',
  plugins: [vue(), leanContracts(), framePage(), compileHints(['app', 'annotate']), earlyScript(), buildListing()],
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  build: {
    target: 'es2023',
    // The polyfill is an inline script, which the Content-Security-Policy blocks.
    modulePreload: { polyfill: false },
    // Fonts and images are files on our own origin, because the CSP allows `data:` for record images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // On a slow machine it prints a page of timings, which tells nothing to those who start the server.
      checks: { pluginTimings: false },
      output: {
        // Strips the names of the pages that share the chunk.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.replace(/~.*(?=\.)/, '').replace(/\.\w+$/, '')}-[hash][extname]`,
        // Groups modules into a few files per page instead of sixty: over HTTP/1.1 a browser loads six files at a time, and each
        // response has its own headers.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'], priority: 2 },
            {
              name: 'kit',
              test: /node_modules|src\/[^/]+\.ts|src\/components\/|\/type-badges\.ts|\/pace\.ts|\/last-place\.ts/,
              minShareCount: 2,
              priority: 1,
            },
            // Contains everything the annotation page loads initially. Other pages import shared modules from it.
            { name: 'annotate', test: /features\/annotate\/page\.vue/ },
          ],
        },
      },
    },
  },
})
