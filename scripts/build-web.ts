/**
 * Builds the web UI into packages/web/dist when its sources have changed since the last build, and puts compressed copies
 * beside what is worth compressing: the server only picks one.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'packages/web/dist')
const STAMP = join(DIST, '.sources')
const SOURCES = [
  'packages/web/{src,public,frame}/**/*.*',
  'packages/web/*.{html,ts,json}',
  'packages/{client,domain}/src/**/*.ts',
  'package-lock.json',
]

function hashSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort()) hash.update(path).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

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
  const hash = hashSources()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return
  console.log('Building the web UI …')
  await build({ configFile: join(ROOT, 'packages/web/vite.config.ts'), logLevel: 'warn' })
  compress()
  writeFileSync(STAMP, hash)
}

if (import.meta.main) await buildWeb()
