/**
 * `npm run fresh-clones`: tries a fresh clone of the last commit with several versions of Node and npm, in a path with spaces and
 * umlauts. In each, `npm start` must serve and `npm test -- --only tidy` must pass, and neither may change a file of git.
 *
 *   npm run fresh-clones -- --node 20 --npm 10.8     one combination; repeat both options for more
 *
 * Node and npm come from the registry. The combinations take two to four minutes each, so this is not part of `npm test`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODES = ['20', '22', '24']
const NPMS = ['10', '11']
const COMMAND_TIMEOUT_MS = 15 * 60_000
const STOP_TIMEOUT_MS = 30_000
const OUTPUT_LINES_MAX = 40

interface Combination {
  node: string
  npm: string
  /** Folder with the programs `node` and `npm`. */
  programs: string
}

/** An entry is the problem, or null if there is none. */
interface Outcome {
  start: string | null
  tidy: string | null
  changes: string | null
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout.trim()
}

/** Installs one package below `folder` and returns its path. */
function fetchPackage(folder: string, { name, version }: { name: string; version: string }): string {
  const home = join(folder, `${name}@${version}`)
  mkdirSync(home)
  const options = ['--prefix', home, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', ...options, `${name}@${version}`], home)
  return join(home, 'node_modules', name)
}

function prepareCombinations(folder: string): Combination[] {
  const { values } = parseArgs({ options: { node: { type: 'string', multiple: true }, npm: { type: 'string', multiple: true } } })
  const fetch = (name: string, version: string) => ({ version, path: fetchPackage(folder, { name, version }) })
  const nodes = (values.node ?? NODES).map(version => fetch(`node-${process.platform}-${process.arch}`, version))
  const npms = (values.npm ?? NPMS).map(version => fetch('npm', version))
  return nodes.flatMap(node =>
    npms.map(npm => {
      const programs = join(folder, `node ${node.version} npm ${npm.version}`)
      mkdirSync(programs)
      symlinkSync(join(node.path, 'bin/node'), join(programs, 'node'))
      symlinkSync(join(npm.path, 'bin/npm-cli.js'), join(programs, 'npm'))
      const nodeVersion = run(join(programs, 'node'), ['--version'], folder).slice(1)
      const npmVersion = run(join(programs, 'node'), [join(programs, 'npm'), '--version'], folder)
      return { node: nodeVersion, npm: npmVersion, programs }
    }),
  )
}

/** The environment of someone who has just cloned: without settings of Postil and without what `npm run` adds. */
function createEnvironment(programs: string, home: string): Record<string, string | undefined> {
  const added = /^(npm_(?!config_(registry|cache|userconfig)$).*|SERVICE_.*|POSTIL_.*|NODE|NODE_ENV|NODE_OPTIONS|INIT_CWD)$/
  const kept = Object.entries(process.env).filter(([name]) => !added.test(name))
  const folders = (process.env.PATH ?? '').split(':').filter(folder => !folder.includes('node_modules'))
  return { ...Object.fromEntries(kept), PATH: [programs, ...folders].join(':'), SERVICE_HOME_PATH: home }
}

interface Command {
  child: ChildProcess
  output(): string
  /** Calls back at each output. */
  onOutput(callback: () => void): void
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

/** Starts npm as a process group of its own, so that its children can be stopped with it. */
function startNpm(args: readonly string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Command {
  const child = spawn('npm', args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const timer = setTimeout(() => signal(child, 'SIGKILL'), COMMAND_TIMEOUT_MS)
  const killAtExit = () => signal(child, 'SIGKILL')
  // Before the folders are removed.
  process.prependOnceListener('exit', killAtExit)
  let output = ''
  const callbacks: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const callback of callbacks) callback()
    })
  }
  child.once('error', reject)
  child.once('close', code => {
    clearTimeout(timer)
    process.off('exit', killAtExit)
    resolve(code)
  })
  return { child, output: () => output, onOutput: callback => void callbacks.push(callback), ended: promise }
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch (error) {
    // All its processes have ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const lastLines = (text: string) => text.trimEnd().split('\n').slice(-OUTPUT_LINES_MAX).join('\n')

/** Returns the problem, or null if the server started, served its page and its API, and stopped. */
async function tryStart(cwd: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const command = startNpm(['start', '--', '--port', '0'], { cwd, env })
  const { promise, resolve } = Promise.withResolvers<string | null>()
  command.onOutput(() => {
    const url = /Postil serves at (\S+?)\/?\n/.exec(command.output())?.[1]
    if (url !== undefined) resolve(url)
  })
  const url = await Promise.race([promise, command.ended.then(() => null)])
  if (url === null) return `npm start ended:\n${lastLines(command.output())}`
  const problems: string[] = []
  for (const path of ['/', '/api/v1/version']) {
    const response = await fetch(url + path).catch((error: Error) => error)
    if (response instanceof Error) problems.push(`${path}: ${response.message}`)
    else if (!response.ok) problems.push(`${path}: status ${response.status}`)
  }
  signal(command.child, 'SIGTERM')
  const timer = setTimeout(() => {
    problems.push('it did not stop')
    signal(command.child, 'SIGKILL')
  }, STOP_TIMEOUT_MS)
  await command.ended
  clearTimeout(timer)
  return problems.length === 0 ? null : `npm start: ${problems.join(', ')}\n${lastLines(command.output())}`
}

async function tryTidy(cwd: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const command = startNpm(['test', '--', '--only', 'tidy'], { cwd, env })
  const code = await command.ended
  const isFine = code === 0 && /^[1-9]\d* passed, 0 failed$/m.test(command.output())
  return isFine ? null : `npm test -- --only tidy ended with ${code}:\n${lastLines(command.output())}`
}

async function tryClone(folder: string, { programs }: Combination): Promise<Outcome> {
  const place = mkdtempSync(join(folder, 'Ein Ordner für Änderungen '))
  const clone = join(place, 'postil')
  try {
    run('git', ['clone', '--quiet', ROOT, clone], folder)
    run('git', ['checkout', '--quiet', '--detach', run('git', ['rev-parse', 'HEAD'], ROOT)], clone)
    const env = createEnvironment(programs, join(place, 'data'))
    const start = await tryStart(clone, env)
    const tidy = await tryTidy(clone, env)
    const changes = run('git', ['status', '--porcelain'], clone)
    return { start, tidy, changes: changes === '' ? null : `git status:\n${changes}` }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-fresh-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(1))
  const rows: string[][] = [['Node', 'npm', 'npm start', 'tidy', 'git status']]
  let failed = 0
  for (const combination of prepareCombinations(folder)) {
    console.log(`started: Node ${combination.node}, npm ${combination.npm}`)
    const { start, tidy, changes } = await tryClone(folder, combination)
    const problems = [start, tidy, changes].filter(problem => problem !== null)
    for (const problem of problems) console.log(problem)
    failed += problems.length > 0 ? 1 : 0
    const ok = (problem: string | null, good: string, bad: string) => (problem === null ? good : bad)
    const results = [ok(start, 'serves', 'failed'), ok(tidy, 'passed', 'failed'), ok(changes, 'clean', 'changed')]
    rows.push([combination.node, combination.npm, ...results])
  }
  console.log('')
  for (const row of rows)
    console.log(
      row
        .map(cell => cell.padEnd(12))
        .join('')
        .trimEnd(),
    )
  return failed > 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
