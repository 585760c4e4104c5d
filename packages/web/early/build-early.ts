/**
 * Adds the early script to the build and loads it from `index.html`. It is built separately, so that it shares no chunk with the
 * application and stays small.
 */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { build, type InlineConfig, type Plugin } from 'vite'

const folder = import.meta.dirname
const ENTRY = /<script type="module" crossorigin src="\.\/assets\/(app-[^"]+\.js)"><\/script>/

const earlyConfig: InlineConfig = {
  configFile: false,
  root: folder,
  logLevel: 'warn',
  build: {
    write: false,
    target: 'es2023',
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: join(folder, 'early.ts'), output: { format: 'es' } },
  },
}

async function buildEarly(application: string): Promise<string> {
  const results = await build(earlyConfig)
  const output = [results].flat().flatMap(result => ('output' in result ? result.output : []))
  const code = output.find(file => file.type === 'chunk')?.code
  const named = code?.replace('./application.js', `./${application}`)
  if (named === undefined || named === code) throw new Error('The early script has no place for the name of the application')
  return named
}

export function earlyScript(): Plugin {
  return {
    name: 'early-script',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const page = bundle['index.html']
        const text = page?.type === 'asset' ? page.source.toString() : ''
        const application = ENTRY.exec(text)?.[1]
        if (page?.type !== 'asset' || application === undefined) throw new Error('index.html does not begin with the application')
        const source = await buildEarly(application)
        const fileName = `assets/early-${hash('sha256', source).slice(0, 8)}.js`
        this.emitFile({ type: 'asset', fileName, source })
        page.source = text.replace(
          ENTRY,
          // Not deferred, so that it can draw a record before the end of the page, where the data is.
          `<script type="module" async crossorigin src="./${fileName}"></script>\n    <link rel="modulepreload" crossorigin href="./assets/${application}">`,
        )
      },
    },
  }
}
