/**
 * Makes `npm start` and `npm test` work on a fresh checkout: installs dependencies if node_modules does not match
 * package-lock.json, links the runtime in the dependencies, and reports an outdated one in one sentence. `--link` only links.
 *
 * Plain JavaScript, because it runs with the Node version that started npm, before the one in the dependencies is installed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODE_MIN = [22, 18]
const MODULES = join(ROOT, 'node_modules')
const STAMP = join(MODULES, '.postil-installed')
const IS_WINDOWS = process.platform === 'win32'
/** Path of the runtime in the dependencies, relative to node_modules. */
const RUNTIME = `node-${IS_WINDOWS ? 'win' : process.platform}-${process.arch}/bin/node${IS_WINDOWS ? '.exe' : ''}`

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
  console.log('Installing dependencies with npm; the first time takes a minute …')
  // `--ignore-scripts`: our packages include their binaries, but npm would still build better-sqlite3 from downloaded headers.
  // `--include=dev`: the web UI is built with development dependencies, which npm omits if NODE_ENV is `production`.
  const options = [...chooseCommand(), '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath ?? ''
  const settings = { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] }
  // The Node that runs npm. This script may run with the one in node_modules, which `npm ci` deletes.
  const outcome = /npm-cli\.c?js$/.test(npm)
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...options], settings)
    : spawnSync('npm', options, { ...settings, shell: IS_WINDOWS })
  if (outcome.status !== 0) {
    fail('Dependencies could not be installed (see above). npm needs to reach its registry: `npm ping` tells whether it does.')
  }
  writeFileSync(STAMP, lockHash())
}

/** `npm ci` installs exactly the lock file and never writes it, so the checkout stays clean with every version of npm. */
function chooseCommand() {
  if (!isLockUpToDate()) return ['install']
  // Windows cannot delete a program that is running, and `npm ci` deletes node_modules first.
  return IS_WINDOWS && process.execPath.startsWith(MODULES) ? ['install', '--no-save'] : ['ci']
}

/**
 * Makes npm scripts use the Node version in the dependencies, and returns the version that they will use. npm puts node_modules/.bin
 * first in their PATH, but npm 10 creates no link for a program that several optional packages contain.
 */
function linkRuntime() {
  const answer = existsSync(join(MODULES, RUNTIME))
    ? spawnSync(join(MODULES, RUNTIME), ['--version'], { encoding: 'utf8' })
    : null
  if (answer?.status === 0) {
    if (IS_WINDOWS) writeWindowsLink()
    else writeLink()
    return answer.stdout.trim()
  }
  // No package for this platform, or its binary does not run (for example with musl): scripts use the installed Node.
  for (const name of ['node', 'node.cmd', 'node.ps1']) rmSync(join(MODULES, '.bin', name), { force: true })
  return process.version
}

function writeLink() {
  const link = join(MODULES, '.bin/node')
  const target = `../${RUNTIME}`
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return
  mkdirSync(join(MODULES, '.bin'), { recursive: true })
  // Renaming replaces what is there, also if two commands do this at the same time.
  const draft = `${link}.${process.pid}`
  symlinkSync(target, draft)
  renameSync(draft, link)
}

function writeWindowsLink() {
  const link = join(MODULES, '.bin/node.cmd')
  if (existsSync(link)) return
  mkdirSync(join(MODULES, '.bin'), { recursive: true })
  writeFileSync(link, `@"%~dp0..\\${RUNTIME.replaceAll('/', '\\')}" %*\r\n`)
}

function checkVersion(version) {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return
  fail(`Postil needs Node ${NODE_MIN.join('.')} or newer; this is ${version}, and no newer one is packaged for this platform.`)
}

if (process.argv.includes('--link')) linkRuntime()
else {
  if (!isLockUpToDate() || !isInstallUpToDate()) install()
  checkVersion(linkRuntime())
}
