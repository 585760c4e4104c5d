/** Every code block of the documentation that can run is run by a test, or is listed here with the reason why not. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Blocks that no test runs as they are: a command that the block begins with, and the reason. */
const NOT_RUN: readonly (readonly [command: string, reason: string])[] = [
  ['npm ', 'run by hand and by CI itself; tests start the same scripts'],
  ['pip install ', 'tests/clients/guides.test.ts installs exactly this line'],
  ['export ', 'sets variables that the tests set'],
  ['docker ', 'needs a container runtime; tests/deploy checks the files'],
  ['cp deploy/', 'needs a container runtime; tests/deploy checks the files'],
  ['kubectl ', 'needs a cluster; tests/deploy checks the files'],
  ['git ', 'publishes a Space or clones the repository'],
  ['wget ', 'downloads from another host'],
  ['OAUTH2_', 'needs an account at a sign-in provider; tests/contract uses one on loopback'],
  ['postil start --workers', 'tests/contract/processes.test.ts starts processes'],
  ['SERVICE_BACKGROUND_WORK=', 'tests/contract/processes.test.ts starts workers'],
]

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: ROOT })].filter(
  path => !path.startsWith('docs/decisions/'),
)
const blocks = pages.flatMap(path =>
  [...read(path).matchAll(/^```(python|sh|ts)\n([\s\S]*?)```/gm)].map(([, , text = '']) => ({ path, text })),
)
const tests = globSync('tests/**/*.test.ts', { cwd: ROOT }).map(read).join('\n')

test('code blocks are run by tests, or there is a reason why not', () => {
  expect(blocks.length).toBeGreaterThan(40)
  const isNamed = (path: string) =>
    tests.includes(path) || tests.includes(path.replace('docs/', '')) || tests.includes(`'${path.split('/').at(-1)}`)
  const left = blocks.filter(({ path, text }) => !NOT_RUN.some(([command]) => text.startsWith(command)) && !isNamed(path))
  expect(left.map(({ path, text }) => `${path}: ${text.split('\n')[0]}`)).toEqual([])
})

test('every reason belongs to a block', () => {
  expect(NOT_RUN.filter(([command]) => !blocks.some(({ text }) => text.startsWith(command)))).toEqual([])
})
