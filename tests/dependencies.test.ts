/**
 * The packages required to run Postil are exactly the imported ones, and the bundles come with the licences of their packages.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { isAllowed } from '../scripts/licences.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** For the test that builds the web UI in another process. */
const BUILD_TIMEOUT_MS = 120_000
const readManifest = (name: string) => JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))

/** Returns the npm packages that are imported by a file, by the files it imports and by the threads it starts. */
function listImportedPackages(entry: string): Set<string> {
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const imports = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
    const started = [...text.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)].map(([, path = '']) => path)
    for (const name of [...imports, ...started]) {
      const ours = /^@postil\/(\w+)\/(.+)$/.exec(name)
      if (ours) files.add(join(ROOT, `packages/${ours[1]}/src/${ours[2]}.ts`))
      else if (name.startsWith('.')) files.add(join(dirname(file), name))
      else if (!name.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
    }
  }
  expect([...files].filter(file => !existsSync(file))).toEqual([])
  return packages
}

test('the runtime dependencies of the server are the packages that it imports', () => {
  const dependencies = ['server', 'domain'].flatMap(name => Object.keys(readManifest(name).dependencies))
  const imported = listImportedPackages(join(ROOT, 'packages/server/src/main.ts'))
  expect([...imported].sort()).toEqual(dependencies.filter(name => !name.startsWith('@postil/')).sort())
})

test('the third-party notices are those of the web UI, the server and the command line as they are built (npm run notices)', {
  timeout: BUILD_TIMEOUT_MS,
}, () => {
  // The test runner's NODE_ENV would change the build.
  const { NODE_ENV: _, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['scripts/notices.ts', '--check'], { cwd: ROOT, env, encoding: 'utf8' })
  // stderr may not be empty: on a busy machine the bundler prints the time of its plugins there.
  expect(status, stderr).toBe(0)
})

type Lock = { packages: Record<string, { license?: string; link?: boolean }> }
const LOCKS = ['package-lock.json', 'site/package-lock.json']
const readLock = (path: string): Lock => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

test.each(LOCKS)('every dependency of %s has a licence that may be used', path => {
  const lock = readLock(path)
  const wrong = Object.entries(lock.packages).filter(
    ([name, { license, link }]) => name.includes('node_modules/') && !link && !isAllowed(license),
  )
  expect(wrong.map(([name, { license }]) => `${name}: ${license}`)).toEqual([])
})
