/**
 * Finds a Chromium for tests and pictures: the installed one, one from the system's packages, or the one in an npm package, in
 * that order.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const PACKAGE = '@sparticuz/chromium@153.0.0'

/** The program to run, or the reason why there is none. */
export type Chromium = { path: string } | { reason: string }

export async function prepareChromium(root: string): Promise<Chromium> {
  const given = process.env.CHROMIUM_PATH
  if (given) return runs(given) ? { path: given } : { reason: `CHROMIUM_PATH names ${given}, which does not run` }
  const found = findOnPath() ?? installFromSystem() ?? (await installFromNpm(root))
  return found ? { path: found } : { reason: 'no Chromium was found, and neither apt-get nor npm could install one' }
}

const runs = (path: string) => spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0

function findOnPath(): string | null {
  for (const name of NAMES) {
    const path = spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim()
    if (path && runs(path)) return path
  }
  return null
}

/** For Debian-based systems, if the user may install packages. */
function installFromSystem(): string | null {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0) return null
  console.log('Installing Chromium with apt-get …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'ignore', env }).status === 0
  if (install()) return findOnPath()
  return spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env }).status === 0 && install() ? findOnPath() : null
}

async function installFromNpm(root: string): Promise<string | null> {
  const folder = join(root, '.cache', 'chromium')
  if (!existsSync(join(folder, 'node_modules'))) {
    console.log('Installing a Chromium from npm into .cache …')
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-save', '--no-fund', '--no-audit', PACKAGE]
    if (spawnSync('npm', args, { stdio: 'ignore' }).status !== 0) return null
  }
  const carried = createRequire(join(folder, 'package.json'))('@sparticuz/chromium')
  const path: string = await (carried.default ?? carried).executablePath()
  return runs(path) ? path : null
}
