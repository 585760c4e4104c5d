/**
 * Tables of one user in this browser (IndexedDB). Storage may be full, blocked, cleared or missing; none of that throws. A read
 * then finds nothing, a write returns false, and `isDurable` lets the UI show a warning.
 */
import { type IDBPDatabase, openDB } from 'idb'
import { type Ref, shallowRef } from 'vue'
import { withTimeout } from './with-timeout.ts'

const VERSION = 1
const TABLES = ['outbox', 'edits', 'groups', 'views', 'copies'] as const
export type TableName = (typeof TABLES)[number]

export interface TableChange {
  /** Replaces the whole table. */
  isWhole?: boolean
  put?: readonly (readonly [key: string, value: unknown])[]
  delete?: readonly string[]
}

export interface Database {
  /** False after a write that could not be stored, until a later write succeeds. */
  readonly isDurable: Readonly<Ref<boolean>>
  /** Number of edits that are not yet on disk. */
  readonly editing: Readonly<Ref<number>>
  /** Null if the table cannot be read. */
  all<T>(table: TableName): Promise<T[] | null>
  get<T>(table: TableName, key: string): Promise<T | undefined>
  /** Writes atomically. Returns true once the change is on disk. */
  write(table: TableName, change: TableChange): Promise<boolean>
  /** Reads and writes one value in a single transaction, so that other tabs cannot interfere. */
  edit<T>(table: TableName, key: string, change: (before: T | undefined) => T): Promise<boolean>
  clear(table: TableName): Promise<boolean>
  close(): void
}

/** Timeout for opening; far more than a healthy browser needs. */
const OPEN_MS = 2_000
const ACT_MS = 10_000
/** Pause after a failure, so that not every answer waits for a timeout. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export const databaseName = (userId: string) => `postil.${userId}`

type Connection = IDBPDatabase<unknown>

export function openDatabase(userId: string): Database {
  const isDurable = shallowRef(true)
  const editing = shallowRef(0)
  let opened: Promise<Connection> | null = null
  let failures = 0
  let pausedUntil = 0
  let isClosed = false

  function connect(): Promise<Connection> {
    opened ??= withTimeout(openTables(databaseName(userId), drop), OPEN_MS, late => late.close())
    return opened
  }

  /** Discards the connection; the next operation opens a new one. */
  function drop(): void {
    opened?.then(database => database.close()).catch(() => undefined)
    opened = null
  }

  async function act<R>(work: (database: Connection) => Promise<R>): Promise<R> {
    try {
      return await withTimeout(connect().then(work), ACT_MS)
    } catch (error) {
      drop()
      throw error
    }
  }

  /**
   * Returns null if the operation fails, or during the pause after a failure. Retries once if the connection was closed
   * meanwhile, for example because site data was cleared.
   */
  async function attempt<R>(work: (database: Connection) => Promise<R>): Promise<{ value: R } | null> {
    if (isClosed || performance.now() < pausedUntil) return null
    const hadConnection = opened !== null
    try {
      const value = await act(work).catch(error => {
        if (!hadConnection || !isStale(error)) throw error
        return act(work)
      })
      failures = 0
      return { value }
    } catch {
      failures++
      pausedUntil = performance.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
      if (!isClosed) isDurable.value = false
      return null
    }
  }

  async function change(work: (database: Connection) => Promise<void>): Promise<boolean> {
    const done = await attempt(work)
    if (done && !isClosed) isDurable.value = true
    return done !== null
  }

  async function edit<T>(table: TableName, key: string, toNext: (before: T | undefined) => T): Promise<boolean> {
    editing.value++
    try {
      return await change(async database => {
        const { done, store } = database.transaction(table, 'readwrite', { durability: 'strict' })
        done.catch(() => undefined)
        await store.put(toNext((await store.get(key)) as T | undefined), key)
        await done
      })
    } finally {
      editing.value--
    }
  }

  return {
    isDurable,
    editing,
    edit,
    all: async <T>(table: TableName) => ((await attempt(database => database.getAll(table)))?.value ?? null) as T[] | null,
    get: async <T>(table: TableName, key: string) =>
      (await attempt(database => database.get(table, key)))?.value as T | undefined,
    write: (table, { isWhole = false, put = [], delete: gone = [] }) =>
      change(async database => {
        const transaction = database.transaction(table, 'readwrite', { durability: 'strict' })
        // A failed request aborts the transaction, which `await done` reports, so errors of single requests are ignored. `done`
        // has its own handler, because nothing awaits it if a request throws synchronously.
        const { done, store } = transaction
        done.catch(() => undefined)
        if (isWhole) store.clear().catch(() => undefined)
        for (const key of gone) store.delete(key).catch(() => undefined)
        for (const [key, value] of put) store.put(value, key).catch(() => undefined)
        await done
      }),
    clear: table => change(database => database.clear(table)),
    close: () => {
      isClosed = true
      drop()
    },
  }
}

/**
 * If a page with a newer build needs to upgrade the tables, this page closes its connection immediately and continues without
 * storage.
 */
async function openTables(name: string, onGone: () => void): Promise<Connection> {
  return openDB(name, VERSION, {
    upgrade: database => {
      for (const table of TABLES) if (!database.objectStoreNames.contains(table)) database.createObjectStore(table)
    },
    blocking: (_current, _blocked, event) => {
      ;(event.target as IDBDatabase).close()
      onGone()
    },
    terminated: onGone,
  })
}

const isStale = (error: unknown) => error instanceof DOMException && ['InvalidStateError', 'AbortError'].includes(error.name)
