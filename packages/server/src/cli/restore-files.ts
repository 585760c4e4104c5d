/** Moves files into place for a restore, and moves the existing ones aside. */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { syncFile } from '../lib/sync-file.ts'

export function copyPrivate(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  syncFile(to)
}

/** Renames instead of copying, which takes no space and no time. */
export function moveAside(paths: readonly string[], home: string): string {
  const folder = join(home, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
  mkdirSync(folder, { mode: 0o700 })
  for (const path of paths) renameTo(path, join(folder, basename(path)))
  syncFile(folder)
  return folder
}

/** The database may be on another disk than the keys. */
function renameTo(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyPrivate(from, to)
    rmSync(from)
  }
}
