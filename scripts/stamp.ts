/** Hash of the sources that a folder was built from, stored in the folder, so that it is rebuilt only if they have changed. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Stamp {
  /** True if the folder was built from the sources as they were when the stamp was opened. */
  isCurrent: boolean
  /** Marks the folder as built from these sources: the last step of a build. */
  write(): void
}

/** `sources` are glob patterns relative to the root. */
export function readStamp(folder: string, sources: readonly string[]): Stamp {
  const file = join(folder, '.sources')
  const hash = hashSources(sources)
  return {
    isCurrent: existsSync(file) && readFileSync(file, 'utf8') === hash,
    write: () => writeFileSync(file, hash),
  }
}

function hashSources(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: ROOT }).sort()) hash.update(path).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}
