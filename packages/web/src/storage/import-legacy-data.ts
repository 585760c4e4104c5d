/**
 * Migrates data of an earlier version, which used one database for all users of the browser. Moves a user's part to their own
 * database, so that unsent answers are not lost.
 */
import { deleteDB, openDB } from 'idb'
import type { Database, TableChange, TableName } from './database.ts'
import { withTimeout } from './with-timeout.ts'

const OLD = 'postil'

/** Old table -> new table, and the key of a row in it; null for rows of other users. */
const MOVES: { from: string; to: TableName; keyFor(key: string, userId: string, value: unknown): string | null }[] = [
  {
    from: 'outbox',
    to: 'outbox',
    keyFor: (key, userId, value) => ((value as { userId?: unknown } | null)?.userId === userId ? key : null),
  },
  { from: 'edits', to: 'edits', keyFor: (key, userId) => after(key, `${userId}:`) },
  { from: 'edits', to: 'groups', keyFor: (key, userId) => after(key, `groups:${userId}:`) },
  { from: 'views', to: 'views', keyFor: (key, userId) => after(key, `${userId}:`) },
]

const after = (key: string, prefix: string) => (key.startsWith(prefix) ? key.slice(prefix.length) : null)

const PATIENCE_MS = 1_000

export async function importLegacyData(userId: string, database: Database): Promise<void> {
  try {
    const known = (await withTimeout(globalThis.indexedDB?.databases?.() ?? Promise.resolve([]), PATIENCE_MS)) ?? []
    if (!known.some(({ name }) => name === OLD)) return
    const old = await withTimeout(openDB(OLD), PATIENCE_MS, late => late.close())
    try {
      for (const { from, to, keyFor } of MOVES) {
        if (!old.objectStoreNames.contains(from)) continue
        const keys = (await old.getAllKeys(from)).map(String)
        const rows = await Promise.all(keys.map(async key => ({ key, value: await old.get(from, key) })))
        const mine = rows.flatMap(({ key, value }) => {
          const now = keyFor(key, userId, value)
          return now === null ? [] : [{ key, put: [now, value] as const }]
        })
        const change: TableChange = { put: mine.map(({ put }) => put) }
        // Deleted from the old database only after it is stored in the new one.
        if (mine.length > 0 && (await database.write(to, change))) for (const { key } of mine) await old.delete(from, key)
      }
      await deleteIfEmpty(old)
    } finally {
      old.close()
    }
  } catch {
    // The data remains for the next visit.
  }
}

/** Deletes the old database once no rows are left to move. Its offline copies belonged to the last user and are loaded again. */
async function deleteIfEmpty(old: Awaited<ReturnType<typeof openDB>>): Promise<void> {
  const tables = [...new Set(MOVES.map(({ from }) => from))].filter(name => old.objectStoreNames.contains(name))
  const counts = await Promise.all(tables.map(name => old.count(name)))
  if (counts.some(count => count > 0)) return
  old.close()
  // If a tab of the earlier version has it open, the database is deleted when that tab closes.
  void deleteDB(OLD)
}
