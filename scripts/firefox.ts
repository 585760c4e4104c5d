/** Finds a Firefox for the tests: the installed one, or the one in Debian's packages. */
import { findProgram, installPackages } from './debian-packages.ts'

const NAMES = ['firefox-esr', 'firefox']
const find = () => NAMES.map(name => findProgram(name, ['--version'])).find(path => path !== null) ?? null

/** Returns the program to run, or the reason why there is none. */
export function prepareFirefox(): { path: string } | { reason: string } {
  const found = find()
  if (found) return { path: found }
  const problem = installPackages('Firefox', ['firefox-esr'])
  if (problem) return { reason: problem }
  const path = find()
  return path ? { path } : { reason: 'firefox-esr was installed, but does not run on this machine' }
}
