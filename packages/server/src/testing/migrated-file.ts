/** The file of a migrated, empty SQLite database. It is made once in each process of a run; tests write it where they need it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClock } from '../lib/clock.ts'
import { migrate } from '../storage/migrate.ts'
import { openSqlite, type SqliteHandle } from '../storage/sqlite.ts'

export const openTestFile = (path: string): SqliteHandle =>
  openSqlite({ path, readonly: false, synchronous: 'normal', busyTimeoutMs: 1000, cacheMb: 8 })

let bytes: Promise<Buffer> | null = null

export async function writeMigratedFile(path: string): Promise<void> {
  bytes ??= readMigratedFile()
  writeFileSync(path, await bytes)
}

async function readMigratedFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'postil-template-'))
  try {
    const path = join(folder, 'template.db')
    const db = openTestFile(path)
    await migrate(db, 'head', openClock())
    await db.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
