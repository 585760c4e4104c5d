import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './stamp.ts'

/** Packs a folder of `dist` with npm, and returns the path of the package. */
export function packFolder(folder: string): string {
  const args = ['pack', '--json', '--pack-destination', '..']
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  return join(ROOT, 'dist', filename)
}
