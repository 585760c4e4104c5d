/** WebKitGTK for the tests: its driver, which includes a small browser, and a virtual display. */
import { findProgram, installPackages } from './debian-packages.ts'

const PACKAGES = ['webkit2gtk-driver', 'xvfb', 'libgl1-mesa-dri']

/** Returns the driver; null unless the display is installed too. */
const find = () => (findProgram('Xvfb', ['-help']) ? findProgram('WebKitWebDriver', ['--help']) : null)

/** Returns the driver to run, or the reason why there is none. */
export function prepareWebKit(): { path: string } | { reason: string } {
  const found = find()
  if (found) return { path: found }
  const problem = installPackages('WebKitGTK', PACKAGES)
  if (problem) return { reason: problem }
  const path = find()
  return path ? { path } : { reason: 'webkit2gtk-driver and xvfb were installed, but do not run on this machine' }
}
