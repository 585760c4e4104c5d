import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { framePage } from './frame/build-frame.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the same build works under any base path.
  base: './',
  plugins: [vue(), framePage()],
  build: {
    target: 'es2023',
    // The polyfill is an inline script, which the Content-Security-Policy refuses.
    modulePreload: { polyfill: false },
    // Fonts and pictures as files of our own origin: `data:` is open for record images only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
