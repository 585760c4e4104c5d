/** What a folder was built from: a hash of the sources, kept in the folder, so that it is built anew only when they have changed. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface Stamp {
  /** Whether the folder was built from the sources as they were when the stamp was opened. */
  isCurrent: boolean
  /** Marks the folder as built from them: the last step of a build. */
  write(): void
}

/** `sources` are patterns below the root. */
export function openStamp(folder: string, sources: readonly string[]): Stamp {
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
