/** Installs packages on Debian-based systems, if the user may do so. */
import { spawnSync } from 'node:child_process'

/** Returns why the installation failed, or null if the packages are installed. */
export function installPackages(title: string, names: readonly string[]): string | null {
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0) return 'there is no apt-get here'
  if (process.getuid?.() !== 0) return `only root can install; run: sudo apt-get install ${names.join(' ')}`
  console.log(`Installing ${title} with apt-get …`)
  // Waits for the lock, because another program may be installing packages.
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300']
  const run = (...args: string[]) =>
    spawnSync('apt-get', [...options, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  const install = () => run('install', '-y', '--no-install-recommends', ...names)
  // The package list may be missing or outdated.
  if (install().status === 0 || (run('update').status === 0 && install().status === 0)) return null
  return `apt-get could not install ${names.join(', ')}: ${install().stderr.trim().split('\n').at(-1)}`
}

/** Returns the path of a program that runs, or null. */
export function findProgram(name: string, args: readonly string[]): string | null {
  const path = spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim()
  return path && spawnSync(path, args, { stdio: 'ignore' }).status === 0 ? path : null
}
