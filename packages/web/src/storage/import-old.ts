/**
 * What an earlier version left in the one database that everybody at this browser shared: a person's own part of it is moved
 * to their database, so that no answer that waited there is lost.
 */
import { deleteDB, openDB } from 'idb'
import type { Change, Database, TableName } from './database.ts'
import { limit } from './limit.ts'

const OLD = 'postil'

/** Old table -> whose a row is, and the table and key it has now; null for somebody else's. */
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

export async function importOld(userId: string, database: Database): Promise<void> {
  try {
    const known = (await limit(globalThis.indexedDB?.databases?.() ?? Promise.resolve([]), PATIENCE_MS)) ?? []
    if (!known.some(({ name }) => name === OLD)) return
    const old = await limit(openDB(OLD), PATIENCE_MS, late => late.close())
    try {
      for (const { from, to, keyFor } of MOVES) {
        if (!old.objectStoreNames.contains(from)) continue
        const keys = (await old.getAllKeys(from)).map(String)
        const rows = await Promise.all(keys.map(async key => ({ key, value: await old.get(from, key) })))
        const mine = rows.flatMap(({ key, value }) => {
          const now = keyFor(key, userId, value)
          return now === null ? [] : [{ key, put: [now, value] as const }]
        })
        const change: Change = { put: mine.map(({ put }) => put) }
        // Removed there only once it is here.
        if (mine.length > 0 && (await database.write(to, change))) for (const { key } of mine) await old.delete(from, key)
      }
      await forgetWhenEmpty(old)
    } finally {
      old.close()
    }
  } catch {
    // It is still there for the next visit.
  }
}

/** Copies belonged to whoever came last, and are fetched again. */
async function forgetWhenEmpty(old: Awaited<ReturnType<typeof openDB>>): Promise<void> {
  const tables = [...new Set(MOVES.map(({ from }) => from))].filter(name => old.objectStoreNames.contains(name))
  const counts = await Promise.all(tables.map(name => old.count(name)))
  if (counts.some(count => count > 0)) return
  old.close()
  // A tab of the earlier version may hold it open: then it goes with that tab.
  void deleteDB(OLD)
}
