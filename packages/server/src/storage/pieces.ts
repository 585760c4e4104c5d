/**
 * Content of stored files, in pieces: files in the home path on SQLite, rows on PostgreSQL, where every process must be able to
 * read them.
 *
 * Every thread may put and get pieces. The row of the file (`files.received`) determines which bytes are valid; the writer
 * updates it after the pieces are stored. A piece may contain more bytes, from a write that was interrupted or is still running.
 */
import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { Database } from './database.ts'

export interface Pieces {
  /**
   * Stores a piece durably. A stored piece that starts with the same bytes is left unchanged, so that a late retry with fewer
   * bytes does not remove later ones.
   */
  put(fileId: Id, no: number, bytes: Uint8Array): Promise<void>
  /** Returns null if the piece does not exist. */
  get(fileId: Id, no: number): Promise<Uint8Array | null>
  /** Deletes up to `most` pieces of a file whose row was deleted. Returns true if there may be more. */
  drop(fileId: Id, most: number): Promise<boolean>
  /** Lists ids of files that have pieces but no row in `files`: leftovers of a deleted row, or of a write after its deletion. */
  listOrphans(most: number): Promise<Id[]>
}

type Parts = Pick<Context, 'config' | 'db'>

export const openPieces = ({ config, db }: Parts): Pieces =>
  db.dialect.name === 'sqlite' ? inFolder(join(config.homePath, 'files'), db) : inTable(db)

function inFolder(root: string, db: Database): Pieces {
  const toPath = (fileId: Id, no: number) => join(root, fileId, String(no))
  return {
    put: async (fileId, no, bytes) => {
      const path = toPath(fileId, no)
      const stored = await readIfThere(path)
      if (stored !== null && beginsWith(stored, bytes)) return
      await mkdir(join(root, fileId), { recursive: true, mode: 0o700 })
      await writeDurably(path, bytes, { isDifferent: stored !== null && !beginsWith(bytes, stored) })
      await syncFolder(join(root, fileId))
    },
    get: (fileId, no) => readIfThere(toPath(fileId, no)),
    drop: async (fileId, most) => {
      const names = await listIfThere(join(root, fileId))
      for (const name of names.slice(0, most)) await rm(join(root, fileId, name), { force: true })
      if (names.length > most) return true
      await rm(join(root, fileId), { recursive: true, force: true })
      return false
    },
    listOrphans: async most => {
      const ids = await listIfThere(root)
      const known = new Set(await db.sql.column<Id>('select id from files'))
      return ids.filter(id => !known.has(id)).slice(0, most)
    },
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function listIfThere(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const beginsWith = (stored: Uint8Array, bytes: Uint8Array) =>
  stored.length >= bytes.length && Buffer.compare(stored.subarray(0, bytes.length), bytes) === 0

/**
 * Writes in place, and truncates only if the old bytes were different: if two calls concurrently put the same bytes, one of them
 * fewer, none may be lost. Replacing the file would lose bytes of the longer call if the shorter one came last.
 */
async function writeDurably(path: string, bytes: Uint8Array, { isDifferent }: { isDifferent: boolean }): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
    if (isDifferent) await file.truncate(bytes.length)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** No-op on Windows, where folders cannot be opened and a rename is written through. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const PUT = `insert into file_pieces (file_id, no, bytes) values (?, ?, ?)
  on conflict (file_id, no) do update set bytes = excluded.bytes
  where substring(file_pieces.bytes from 1 for length(excluded.bytes)) <> excluded.bytes`

function inTable(db: Database): Pieces {
  return {
    put: (fileId, no, bytes) =>
      db.transaction(async tx => {
        // Most threads have read-only sessions, and pieces are the only data that they may write.
        await tx.sql.run('set transaction read write')
        await tx.sql.run(PUT, [fileId, no, bytes])
      }),
    get: async (fileId, no) => {
      const row = await db.sql.get<{ bytes: Uint8Array }>('select bytes from file_pieces where file_id = ? and no = ?', [
        fileId,
        no,
      ])
      return row?.bytes ?? null
    },
    drop: async (fileId, most) => {
      const text = `delete from file_pieces where file_id = ? and no in
        (select no from file_pieces where file_id = ? order by no limit ?)`
      return (await db.sql.run(text, [fileId, fileId, most])).changes === most
    },
    listOrphans: most =>
      db.sql.column<Id>(
        `select distinct file_id from file_pieces p where not exists (select 1 from files f where f.id = p.file_id)
         order by file_id limit ?`,
        [most],
      ),
  }
}
