/**
 * Bundles the server into packages/server/dist when its sources have changed since the last build. From its sources a server
 * imports some five hundred files in every thread; loading them takes most of a start. They run as they are all the same
 * (`npm run dev`).
 */
import { globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { COMPILED_FOLDER } from '@postil/server/lib/compile-cache'
import type { OutputAsset, OutputChunk, Plugin } from 'rolldown'
import { openStamp, ROOT } from './stamp.ts'

const SOURCE = join(ROOT, 'packages/server/src')
const DIST = join(ROOT, 'packages/server/dist')
const SOURCES = [
  'packages/{server,domain}/src/**/*.ts',
  'packages/{server,domain}/package.json',
  'package-lock.json',
  'scripts/{build-server,stamp}.ts',
]

/** They load files of their own, which lie beside them. */
const NATIVE = ['better-sqlite3', '@node-rs/argon2']

/** Answers the file to run in place of packages/server/src/main.ts. */
export async function buildServer(): Promise<string> {
  const stamp = openStamp(DIST, SOURCES)
  if (!stamp.isCurrent) {
    write(await bundle())
    // Names of files change with their content: compiled code of earlier builds would stay for good.
    rmSync(COMPILED_FOLDER, { recursive: true, force: true, maxRetries: 5 })
    stamp.write()
  }
  return join(DIST, 'main.js')
}

type Output = OutputChunk | OutputAsset

async function bundle(): Promise<Output[]> {
  const { rolldown } = await import('rolldown')
  const input = { main: join(SOURCE, 'main.ts') }
  const build = await rolldown({ input, platform: 'node', external: NATIVE, plugins: [urlsOfSources] })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
  const { output } = await build.generate({ dir: DIST, sourcemap: true, ...names })
  await build.close()
  return output
}

/** `import.meta.url` stays that of the source, so that files are found from there; a thread runs a file of the bundle. */
const urlsOfSources: Plugin = {
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
    // Lines stay where they are.
    return { code: moved, map: null }
  },
}

/** Each file is replaced as a whole: another build of the same sources, or a start, may be under way. */
function write(output: readonly Output[]): void {
  mkdirSync(DIST, { recursive: true })
  // Entries come last: what they import is there by then.
  const isEntry = (file: Output) => file.type === 'chunk' && file.isEntry
  for (const file of [...output].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const made = join(DIST, `${file.fileName}.${process.pid}.new`)
    writeFileSync(made, file.type === 'chunk' ? file.code : withoutSources(file.source))
    renameSync(made, join(DIST, file.fileName))
  }
  const names = new Set(output.map(({ fileName }) => fileName))
  for (const name of globSync('*.{js,js.map}', { cwd: DIST })) if (!names.has(name)) rmSync(join(DIST, name), { force: true })
}

/** A map names the sources, which are there; it need not hold them. */
function withoutSources(map: OutputAsset['source']): string {
  const { sourcesContent: _, ...rest } = JSON.parse(map.toString()) as { sourcesContent: string[] }
  return JSON.stringify(rest)
}

if (import.meta.main) await buildServer()
