/** What is installed to run Postil is what runs, and the licences of what the web UI contains are passed on. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const readManifest = (name: string) => JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))

/** Packages from npm that are imported by a file, by the files it imports and by the threads it starts. */
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

test('the third-party notices are those of the web UI as it is built (npm run notices)', () => {
  // The test runner's own NODE_ENV would make another build.
  const { NODE_ENV: _, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['scripts/notices.ts', '--check'], { cwd: ROOT, env, encoding: 'utf8' })
  // Not an empty stderr: on a busy machine the bundler prints there how long its plugins took.
  expect(status, stderr).toBe(0)
})
