/** The folder of a backup: written under a temporary name, so that a folder with the given name is always a complete backup. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import { syncFile } from '../lib/sync-file.ts'
import { findStorageFailure } from '../storage/storage-failure.ts'
import { type CopyFacts, writeManifest } from './manifest.ts'
import { openStop, type Stop } from './stop.ts'

/** The data to back up. */
export interface BackupSource {
  /** Paths of the key files. */
  keys: readonly string[]
  /** Copies the database into a folder. */
  copyTo(folder: string, stop: Stop): Promise<CopyFacts>
  close(): void | Promise<void>
}

/** Throws unless a backup can be written there. */
export function checkTarget(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && (!found.isDirectory() || readdirSync(folder).length > 0)) {
    throw new OperatorError(
      `${folder} is not an empty folder. A backup needs a folder of its own: name one that does not exist yet.`,
    )
  }
}

export async function writeBackup(folder: string, source: BackupSource): Promise<CopyFacts> {
  const unfinished = join(dirname(folder), `.${basename(folder)}.unfinished-${process.pid}`)
  const { release, ...stop } = openStop('Nothing was kept of the backup.')
  try {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    const facts = await source.copyTo(unfinished, stop)
    for (const path of source.keys) copyFileSync(path, join(unfinished, basename(path)))
    await writeManifest(unfinished, facts)
    for (const name of readdirSync(unfinished)) {
      chmodSync(join(unfinished, name), 0o600)
      syncFile(join(unfinished, name))
    }
    syncFile(unfinished)
    stop.check()
    if (existsSync(folder)) rmdirSync(folder)
    renameSync(unfinished, folder)
    syncFile(dirname(folder))
    return facts
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    stop.check()
    if (findStorageFailure(error)?.code !== 'storage_full') throw error
    throw new OperatorError(`No space is left for the backup ${folder}. Nothing was kept of it.`)
  } finally {
    release()
  }
}
