import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { leanContracts } from './build-contracts.ts'
import { buildListing } from './build-listing.ts'
import { compileHints } from './compile-hints.ts'
import { framePage } from './frame/build-frame.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the same build works under any base path.
  base: './',
  plugins: [vue(), leanContracts(), framePage(), compileHints(['app', 'annotate']), buildListing()],
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  build: {
    target: 'es2023',
    // The polyfill is an inline script, which the Content-Security-Policy refuses.
    modulePreload: { polyfill: false },
    // Fonts and pictures as files of our own origin: `data:` is open for record images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Without the names of all that share it.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.replace(/~.*(?=\.)/, '').replace(/\.\w+$/, '')}-[hash][extname]`,
        // A page is a few files, not sixty: a browser asks for six at a time over HTTP/1.1, and each answer has a head of its own.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'], priority: 2 },
            {
              name: 'kit',
              test: /node_modules|src\/[^/]+\.ts|src\/components\/|\/type-badges\.ts|\/pace\.ts|\/last-place\.ts/,
              minShareCount: 2,
              priority: 1,
            },
            // With all that it needs at once; what other pages share with it they take from here.
            { name: 'annotate', test: /features\/annotate\/page\.vue/ },
          ],
        },
      },
    },
  },
})
