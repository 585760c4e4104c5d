/** In-memory database for tests without a browser. `delayMs` simulates disk latency. */
import { shallowRef } from 'vue'
import type { Database, TableName } from '../database.ts'

export function openMemoryDatabase(delayMs = 0): Database & { rows(table: TableName): Map<string, unknown> } {
  const tables = new Map<TableName, Map<string, unknown>>()
  const rows = (table: TableName) => {
    const known = tables.get(table) ?? new Map<string, unknown>()
    tables.set(table, known)
    return known
  }
  const pause = () => new Promise(resolve => setTimeout(resolve, delayMs))
  return {
    rows,
    isDurable: shallowRef(true),
    editing: shallowRef(0),
    all: async <T>(table: TableName) => [...rows(table).values()] as T[],
    get: async <T>(table: TableName, key: string) => rows(table).get(key) as T | undefined,
    async write(table, { isWhole = false, put = [], delete: gone = [] }) {
      await pause()
      if (isWhole) rows(table).clear()
      for (const key of gone) rows(table).delete(key)
      for (const [key, value] of put) rows(table).set(key, structuredClone(value))
      return true
    },
    async edit<T>(table: TableName, key: string, change: (before: T | undefined) => T) {
      // Changes the row before the delay, so that reads started after the edit see it.
      rows(table).set(key, structuredClone(change(rows(table).get(key) as T | undefined)))
      await pause()
      return true
    },
    async clear(table) {
      rows(table).clear()
      return true
    },
    close: () => undefined,
  }
}
