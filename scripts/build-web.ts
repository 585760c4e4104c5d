/**
 * Builds the web UI into packages/web/dist when its sources have changed since the last build, and puts compressed copies
 * beside what is worth compressing: the server only picks one.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { openStamp, ROOT } from './stamp.ts'

const DIST = join(ROOT, 'packages/web/dist')
const SOURCES = [
  'packages/web/{src,public,frame}/**/*.*',
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
  const stamp = openStamp(DIST, SOURCES)
  if (stamp.isCurrent) return
  console.log('Building the web UI …')
  // Imported only for a build: it takes longer to load than the sources take to be compared.
  const { build } = await import('vite')
  await build({ configFile: join(ROOT, 'packages/web/vite.config.ts'), logLevel: 'warn' })
  compress()
  stamp.write()
}

if (import.meta.main) await buildWeb()
