/** Bundles the command line into packages/cli/dist if its sources have changed since the last build. */
import { join } from 'node:path'
import { ROOT, readStamp } from './stamp.ts'
import { type Output, writeBundle } from './write-bundle.ts'

const SOURCES = [
  'packages/{cli,client,domain,terminal}/src/**/*.ts',
  'packages/{cli,client,domain,terminal}/package.json',
  'package-lock.json',
  'scripts/{build-cli,stamp,write-bundle}.ts',
]

const DIST = join(ROOT, 'packages/cli/dist')

/** Returns the file to run instead of packages/cli/src/main.ts. */
export async function buildCli(): Promise<string> {
  const stamp = readStamp(DIST, SOURCES)
  if (!stamp.isCurrent) {
    writeBundle(DIST, await bundleCli())
    stamp.write()
  }
  return join(DIST, 'main.js')
}

export async function bundleCli(): Promise<Output[]> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input: { main: join(ROOT, 'packages/cli/src/main.ts') }, platform: 'node' })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
  const { output } = await build.generate({ dir: DIST, sourcemap: true, ...names })
  await build.close()
  return output
}

if (import.meta.main) await buildCli()
