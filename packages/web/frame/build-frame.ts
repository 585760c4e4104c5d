/**
 * Builds `frame.html` as a single file with an inline script, because a document with an opaque origin may not load files from
 * this server.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type InlineConfig, type Plugin } from 'vite'

const folder = import.meta.dirname

/** Build configuration of the inline script. */
export const frameConfig: InlineConfig = {
  configFile: false,
  root: folder,
  logLevel: 'warn',
  build: {
    write: false,
    target: 'es2023',
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: join(folder, 'frame.ts'), output: { format: 'iife' } },
  },
}

async function buildFrame(): Promise<string> {
  const results = await build(frameConfig)
  const output = [results].flat().flatMap(result => ('output' in result ? result.output : []))
  const code = output.find(file => file.type === 'chunk')?.code
  if (code === undefined) throw new Error('The frame has no script')
  // Escaped, because these strings would end the inline script or start an HTML comment.
  const script = code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
  const page = await readFile(join(folder, 'frame.html'), 'utf8')
  return page.replace('<script src="./frame.ts"></script>', () => `<script>${script}</script>`)
}

/** Adds `frame.html` to the build and to the development server. */
export function framePage(): Plugin {
  return {
    name: 'frame-page',
    configureServer(server) {
      server.middlewares.use('/frame.html', async (_, response) => {
        response.setHeader('content-type', 'text/html')
        response.setHeader('content-security-policy', 'sandbox allow-scripts')
        response.end(await buildFrame())
      })
    },
    async generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'frame.html', source: await buildFrame() })
    },
  }
}
