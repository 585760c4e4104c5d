/**
 * Makes `npm start` and `npm test` work on a fresh checkout: installs dependencies if node_modules does not match
 * package-lock.json, and reports an outdated runtime in one sentence.
 *
 * Plain JavaScript, because it runs with the Node version that started npm, before the one in the dependencies is installed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODE_MIN = [22, 18]
const STAMP = join(ROOT, 'node_modules', '.postil-installed')
const IS_WINDOWS = process.platform === 'win32'

const read = path => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '')
const readJson = path => JSON.parse(read(path) || '{}')

/** Prints a message and ends the process. */
function fail(message) {
  console.error(message)
  process.exit(1)
}

const wanted = Object.entries(readJson('package-lock.json').packages ?? {})
const isOurs = path => !path.includes('node_modules/')
const lockHash = () => createHash('sha256').update(read('package-lock.json')).digest('hex')

/** True if the lock file contains the dependencies of our package.json files. */
function isLockUpToDate() {
  return (
    wanted.length > 0 &&
    wanted.every(([path, entry]) => !isOurs(path) || sameDependencies(readJson(join(path, 'package.json')), entry))
  )
}

/** True if the installed packages match the lock file. */
function isInstallUpToDate() {
  const installed = readJson('node_modules/.package-lock.json').packages ?? {}
  const isTried = read('node_modules/.postil-installed') === lockHash()
  return wanted.every(([path, entry]) => {
    if (isOurs(path)) return true
    const found = installed[path]
    if (found) return found.version === entry.version && found.integrity === entry.integrity
    // A package for this platform may be missing in the registry: after one attempt it is not requested again.
    return entry.optional === true && (isTried || !isForThisMachine(entry))
  })
}

function sameDependencies(manifest, entry) {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
  const names = object => JSON.stringify(Object.entries(object ?? {}).sort())
  return kinds.every(kind => names(manifest[kind]) === names(entry[kind]))
}

function isForThisMachine({ os, cpu, libc }) {
  const fits = (allowed, mine) => allowed === undefined || [allowed].flat().includes(mine)
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc') && (os !== undefined || cpu !== undefined)
}

function install() {
  console.log('Installing dependencies with npm install; the first time takes a minute …')
  // `--no-save` keeps the checkout clean: npm rewrites a valid lock file for minor differences between its versions.
  // `--ignore-scripts`: our packages include their binaries, but npm would still build better-sqlite3 from downloaded headers.
  // `--include=dev`: the web UI is built with development dependencies, which npm omits if NODE_ENV is `production`.
  const options = ['install', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (isLockUpToDate()) options.push('--no-save')
  const npm = process.env.npm_execpath ?? ''
  const settings = { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] }
  const outcome = /npm-cli\.c?js$/.test(npm)
    ? spawnSync(process.execPath, [npm, ...options], settings)
    : spawnSync('npm', options, { ...settings, shell: IS_WINDOWS })
  if (outcome.status !== 0) {
    fail('Dependencies could not be installed (see above). npm needs to reach its registry: `npm ping` tells whether it does.')
  }
  writeFileSync(STAMP, lockHash())
}

/** npm scripts put node_modules/.bin first on PATH, so they use the Node version in the dependencies. */
function checkRuntime() {
  const bundled = join(ROOT, 'node_modules', '.bin', IS_WINDOWS ? 'node.cmd' : 'node')
  if (existsSync(bundled)) {
    const answer = spawnSync(bundled, ['--version'], { encoding: 'utf8', shell: IS_WINDOWS })
    if (answer.status === 0) return checkVersion(answer.stdout.trim())
    // The binary does not run on this system (for example with musl), so it is removed and the installed Node is used instead.
    rmSync(bundled)
  }
  return checkVersion(process.version)
}

function checkVersion(version) {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return
  fail(`Postil needs Node ${NODE_MIN.join('.')} or newer; this is ${version}, and no newer one is packaged for this platform.`)
}

if (!isLockUpToDate() || !isInstallUpToDate()) install()
checkRuntime()
