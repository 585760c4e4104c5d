/**
 * `npm run t`: what a change can break, in seconds. Checks the changed files (compared with the last commit) for types and style,
 * and runs the tests that they affect, the nearest first.
 *
 *   npm run t                                    what has changed since the last commit
 *   npm run t -- packages/domain/src/records.ts  files or folders
 *   npm run t -- --all                           every affected test, however long it takes
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseArgs } from 'node:util'
import { type Affected, findAffected } from './affected.ts'
import { ROOT } from './stamp.ts'

/** Expected processor time of the tests that run without `--all`. The first ones run in any case. */
const SECONDS_MAX = 12
const FIRST = 3
/** Expected seconds of a file that `test-report.json` does not know, by folder. */
const SECONDS: readonly [RegExp, number][] = [
  [/^tests\/(e2e|browsers|crash|faults|clients)/, 15],
  [/^tests\/[^/]+\//, 6],
  [/^packages\/server/, 1.5],
  [/^tests\//, 4],
  [/./, 0.3],
]
const RULES = /^tests\/[^/]+\.test\.ts$/

function listChanged(given: readonly string[]): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
  if (given.length > 0) {
    const missing = given.find(path => !existsSync(join(ROOT, path)))
    if (missing !== undefined)
      throw new Error(`${missing}: no such file or folder. Paths are relative to the root of the repository.`)
    const isFolder = (path: string) => statSync(join(ROOT, path)).isDirectory()
    return given.flatMap(path => (isFolder(path) ? git('ls-files', '-co', '--exclude-standard', path) : [posix.normalize(path)]))
  }
  const changed = [...git('diff', '--name-only', '--relative', 'HEAD'), ...git('ls-files', '-o', '--exclude-standard')]
  return changed.filter(path => existsSync(join(ROOT, path)))
}

/** Chooses the nearest tests that fit into the time. Rules of the code base always run. */
function choose(affected: readonly Affected[], isAll: boolean): string[] {
  const known = readKnownSeconds()
  let seconds = 0
  return affected.flatMap(({ file }, no) => {
    seconds += known.get(file) ?? SECONDS.find(([path]) => path.test(file))?.[1] ?? 0
    return isAll || no < FIRST || seconds <= SECONDS_MAX ? [file] : []
  })
}

function readKnownSeconds(): Map<string, number> {
  const path = join(ROOT, 'test-report.json')
  if (!existsSync(path)) return new Map()
  type Report = { steps: { files?: { file: string; processorSeconds: number }[] }[] }
  const { steps }: Report = JSON.parse(readFileSync(path, 'utf8'))
  return new Map(steps.flatMap(({ files = [] }) => files.map(({ file, processorSeconds }) => [file, processorSeconds])))
}

interface Check {
  title: string
  command: string[]
}

/** Each remembers its last result, so that only what changed is checked. */
function listChecks(changed: readonly string[], isAll: boolean): Check[] {
  const has = (pattern: RegExp) => changed.some(path => pattern.test(path))
  const cache = join(ROOT, 'node_modules', '.cache', 'types')
  mkdirSync(cache, { recursive: true })
  const types = (title: string, program: string, project: string): Check => {
    const state = join(cache, `${title.replaceAll(' ', '-')}.tsbuildinfo`)
    return { title, command: [program, '-p', project, '--noEmit', '--incremental', '--tsBuildInfoFile', state] }
  }
  const lintable = changed.filter(path => /\.(ts|mjs|js|vue|css|json|html)$/.test(path))
  const isInBrowser = /^packages\/web\/|^tests\/(e2e|browsers)\//
  const isNode = (path: string) => path.endsWith('.ts') && !isInBrowser.test(path)
  return [
    ...(lintable.length > 0
      ? [{ title: 'style', command: ['@biomejs/biome/bin/biome', 'check', '--no-errors-on-unmatched', ...lintable] }]
      : []),
    ...(isAll || changed.some(isNode) ? [types('types', 'typescript-7/bin/tsc', 'tsconfig.json')] : []),
    ...(isAll || has(/^tests\/(e2e|browsers)\//)
      ? [types('types of browser tests', 'typescript-7/bin/tsc', 'tsconfig.browser.json')]
      : []),
    ...(isAll || has(/^packages\/web\//)
      ? [types('types of the web UI', 'vue-tsc/bin/vue-tsc.js', 'packages/web/tsconfig.json')]
      : []),
  ]
}

async function run({ title, command: [program = '', ...args] }: Check): Promise<boolean> {
  const begin = performance.now()
  const child = spawn(process.execPath, [join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
  const [code] = await once(child, 'close')
  console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${title} (${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  if (code !== 0) console.log(output)
  return code === 0
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } })
  const isAll = values.all ?? false
  const changed = listChanged(positionals)
  if (changed.length === 0) {
    console.log('Nothing has changed since the last commit. `npm run t -- <files or folders>` tests what they can affect.')
    return 0
  }
  const affected = findAffected(ROOT, changed)
  const rules = affected.filter(({ file }) => RULES.test(file)).map(({ file }) => file)
  const chosen = choose(
    affected.filter(({ file }) => !RULES.test(file)),
    isAll,
  )
  const files = [
    ...new Set([
      ...rules,
      'tests/tidy.test.ts',
      ...(changed.some(path => path.startsWith('packages/web/')) ? ['tests/tidy-web.test.ts'] : []),
      ...chosen,
    ]),
  ]
  const left = affected.length - chosen.length - rules.length
  console.log(
    `${changed.length} changed files; running ${files.length} of ${files.length + left} test files that they can affect`,
  )
  const tests = { title: `${files.length} test files`, command: ['vitest/vitest.mjs', 'run', '--reporter=dot', ...files] }
  const results = await Promise.all([...listChecks(changed, isAll), tests].map(run))
  if (left > 0) console.log(`${left} more can be affected: \`npm run t -- --all\` runs them, too`)
  return results.every(Boolean) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
