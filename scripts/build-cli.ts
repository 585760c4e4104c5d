/** Bundles the command line into packages/cli/dist if its sources have changed since the last build. */
import { join } from 'node:path'
import { ROOT, readStamp } from './stamp.ts'
import { writeBundle } from './write-bundle.ts'

const SOURCES = [
  'packages/{cli,client,domain,terminal}/src/**/*.ts',
  'packages/{cli,client,domain,terminal}/package.json',
  'package-lock.json',
  'scripts/{build-cli,stamp,write-bundle}.ts',
]

/** Returns the file to run instead of packages/cli/src/main.ts. */
export async function buildCli(): Promise<string> {
  const folder = join(ROOT, 'packages/cli/dist')
  const stamp = readStamp(folder, SOURCES)
  if (!stamp.isCurrent) {
    const { rolldown } = await import('rolldown')
    const build = await rolldown({ input: { main: join(ROOT, 'packages/cli/src/main.ts') }, platform: 'node' })
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }
    const { output } = await build.generate({ dir: folder, sourcemap: true, ...names })
    await build.close()
    writeBundle(folder, output)
    stamp.write()
  }
  return join(folder, 'main.js')
}

if (import.meta.main) await buildCli()
