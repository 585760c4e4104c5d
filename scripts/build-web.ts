/**
 * Builds the web UI into packages/web/dist if its sources have changed since the last build, and adds compressed copies of
 * compressible files, so that the server only has to choose one.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { ROOT, readStamp } from './stamp.ts'

const DIST = join(ROOT, 'packages/web/dist')
const SOURCES = [
  'packages/web/{src,public,frame,early}/**/*.*',
  'packages/web/*.{html,ts,json}',
  'packages/{client,domain}/src/**/*.ts',
  'package-lock.json',
]

const COMPRESSED = new Set(['.js', '.css', '.html', '.svg', '.webmanifest', '.json', '.wasm', '.txt'])

function compress(): void {
  for (const path of globSync('**/*.*', { cwd: DIST })) {
    if (!COMPRESSED.has(extname(path))) continue
    const content = readFileSync(join(DIST, path))
    writeFileSync(join(DIST, `${path}.gz`), gzipSync(content, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    writeFileSync(join(DIST, `${path}.br`), brotliCompressSync(content, { params }))
  }
}

export async function buildWeb(): Promise<void> {
  const stamp = readStamp(DIST, SOURCES)
  if (stamp.isCurrent) return
  console.log('Building the web UI …')
  // Imported only for a build, because loading it takes longer than comparing the sources.
  const { build } = await import('vite')
  const { NODE_ENV } = process.env
  await build({ configFile: join(ROOT, 'packages/web/vite.config.ts'), logLevel: 'warn' })
  // Vite sets it to `production`, and npm, started afterwards, would omit development dependencies.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
  compress()
  stamp.write()
}

if (import.meta.main) await buildWeb()
