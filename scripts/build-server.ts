/**
 * Bundles the server into packages/server/dist if its sources have changed since the last build. Without the bundle, every thread
 * imports about five hundred files, which takes most of the start time. The sources can also run directly (`npm run dev`).
 */
import { rmSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { COMPILED_FOLDER } from '@postil/server/lib/compile-cache'
import type { Plugin } from 'rolldown'
import { ROOT, readStamp } from './stamp.ts'
import { type Output, writeBundle } from './write-bundle.ts'

const SOURCE = join(ROOT, 'packages/server/src')
const DIST = join(ROOT, 'packages/server/dist')
const SOURCES = [
  'packages/{server,domain,terminal}/src/**/*.ts',
  'packages/{server,domain,terminal}/package.json',
  'package-lock.json',
  'scripts/{build-server,stamp,write-bundle}.ts',
]

/** Not bundled, because they load files from their own folder. */
export const NATIVE = ['better-sqlite3', '@node-rs/argon2']

/** Returns the file to run instead of packages/server/src/main.ts. */
export async function buildServer(): Promise<string> {
  const stamp = readStamp(DIST, SOURCES)
  if (!stamp.isCurrent) {
    writeBundle(DIST, await bundleServer())
    // File names contain a hash, so compiled code of earlier builds would otherwise remain forever.
    rmSync(COMPILED_FOLDER, { recursive: true, force: true, maxRetries: 5 })
    stamp.write()
  }
  return join(DIST, 'main.js')
}

export async function bundleServer(): Promise<Output[]> {
  const { rolldown } = await import('rolldown')
  const input = { main: join(SOURCE, 'main.ts') }
  const build = await rolldown({ input, platform: 'node', external: NATIVE, plugins: [sourceUrls] })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
  const { output } = await build.generate({ dir: DIST, sourcemap: true, ...names })
  await build.close()
  return output
}

/**
 * Makes `import.meta.url` refer to the source, so that files are found relative to it; worker threads run a file of the bundle.
 */
const sourceUrls: Plugin = {
  name: 'urls-of-sources',
  transform(code, id) {
    if (!id.startsWith(SOURCE) || !code.includes('import.meta.url')) return null
    const source = relative(DIST, id).split(sep).join('/')
    const moved = code.replaceAll(/(new URL\('(\.\/[\w-]+)\.ts', )?import\.meta\.url/g, (_found, thread?: string, path = '') => {
      if (thread === undefined) return `new URL('${source}', import.meta.url).href`
      const name = basename(path)
      this.emitFile({ type: 'chunk', id: join(id, '..', `${path}.ts`), name, fileName: `${name}.js` })
      return `new URL('./${name}.js', import.meta.url`
    })
    // No map is needed, because lines do not move.
    return { code: moved, map: null }
  },
}

if (import.meta.main) await buildServer()
