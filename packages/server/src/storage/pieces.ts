/**
 * Content of stored files, in pieces: files in the home path on SQLite, rows on PostgreSQL, where every process must be able to
 * read them.
 *
 * Every thread may put and get pieces. The row of the file (`files.received`) determines which bytes are valid; the writer
 * updates it after the pieces are stored. A piece may contain more bytes, from a write that was interrupted or is still running.
 */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { Database } from './database.ts'
import { toFolderFailure } from './storage-failure.ts'

export interface Pieces {
  /**
   * Stores a piece durably. A stored piece that starts with the same bytes is left unchanged, so that a late retry with fewer
   * bytes does not remove later ones. Other bytes are refused, because they may be acknowledged already, unless `isRedone` says
   * that a job does its work again.
   */
  put(fileId: Id, no: number, bytes: Uint8Array, how?: { isRedone: boolean }): Promise<void>
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

/** Stored bytes differ from those that a caller sends for the same place. */
export class OtherBytes extends Error {
  override readonly name = 'OtherBytes'
}

function inFolder(root: string, db: Database): Pieces {
  const toPath = (fileId: Id, no: number) => join(root, fileId, String(no))
  const inRoot = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw toFolderFailure(error, root)
    })
  const put: Pieces['put'] = (fileId, no, bytes, { isRedone } = { isRedone: false }) =>
    oneByOne(toPath(fileId, no), async path => {
      const stored = await readIfThere(path)
      if (stored !== null && beginsWith(stored, bytes)) return
      if (stored !== null && !beginsWith(bytes, stored) && !isRedone) throw new OtherBytes()
      for (const folder of [root, join(root, fileId)]) await makeFolder(folder)
      await writeDurably(path, bytes)
      await syncFolder(join(root, fileId))
    })
  const drop = async (fileId: Id, most: number) => {
    const names = await listIfThere(join(root, fileId))
    for (const name of names.slice(0, most)) await rm(join(root, fileId, name), { force: true })
    if (names.length > most) return true
    await rm(join(root, fileId), { recursive: true, force: true })
    return false
  }
  return {
    put: (...piece) => inRoot(put(...piece)),
    get: (fileId, no) => inRoot(readIfThere(toPath(fileId, no))),
    drop: (fileId, most) => inRoot(drop(fileId, most)),
    listOrphans: async most => {
      const ids = await inRoot(listIfThere(root))
      const known = new Set(await db.sql.column<Id>('select id from files'))
      return ids.filter(id => !known.has(id)).slice(0, most)
    },
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Not `recursive`: that reports a disk that is read-only or full as a folder that does not exist. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

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

/** Running work on each file. One thread receives all uploads, so no other thread changes their pieces. */
const running = new Map<string, Promise<void>>()

async function oneByOne(path: string, work: (path: string) => Promise<void>): Promise<void> {
  const before = running.get(path)
  const own =
    before === undefined
      ? work(path)
      : before.then(
          () => work(path),
          () => work(path),
        )
  running.set(path, own)
  try {
    await own
  } finally {
    if (running.get(path) === own) running.delete(path)
  }
}

/** Replaces the file, so that it never holds half of the bytes. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
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

/** Changes nothing if the stored bytes begin with the new ones, or are not their beginning. */
const PUT = `insert into file_pieces (file_id, no, bytes) values (?, ?, ?)
  on conflict (file_id, no) do update set bytes = excluded.bytes
  where length(excluded.bytes) > length(file_pieces.bytes)
    and substring(excluded.bytes from 1 for length(file_pieces.bytes)) = file_pieces.bytes`
const REPLACE = `insert into file_pieces (file_id, no, bytes) values (?, ?, ?)
  on conflict (file_id, no) do update set bytes = excluded.bytes`
const HAS =
  'select substring(bytes from 1 for length(?::bytea)) = ?::bytea as is_same from file_pieces where file_id = ? and no = ?'

function inTable(db: Database): Pieces {
  return {
    put: (fileId, no, bytes, { isRedone } = { isRedone: false }) =>
      db.transaction(async ({ sql }) => {
        // Most threads have read-only sessions, and pieces are the only data that they may write.
        await sql.run('set transaction read write')
        const { changes } = await sql.run(isRedone ? REPLACE : PUT, [fileId, no, bytes])
        const found = changes === 0 && (await sql.get<{ is_same: boolean }>(HAS, [bytes, bytes, fileId, no]))
        if (found && !found.is_same) throw new OtherBytes()
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
