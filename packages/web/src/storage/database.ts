/**
 * One person's tables in this browser (IndexedDB). Storage may be full, blocked, cleared or absent: nothing here throws for
 * that. A read then finds nothing, a write says that it was not stored, and `isDurable` tells whoever has to warn.
 */
import { type IDBPDatabase, openDB } from 'idb'
import { type Ref, shallowRef } from 'vue'
import { limit } from './limit.ts'

const VERSION = 1
const TABLES = ['outbox', 'edits', 'groups', 'views', 'copies'] as const
export type TableName = (typeof TABLES)[number]

export interface Change {
  /** All that is there goes first. */
  isWhole?: boolean
  put?: readonly (readonly [key: string, value: unknown])[]
  delete?: readonly string[]
}

export interface Database {
  /** False from the first write that could not be stored until one is stored again. */
  readonly isDurable: Readonly<Ref<boolean>>
  /** So many edits are on their way to the disk. */
  readonly editing: Readonly<Ref<number>>
  all<T>(table: TableName): Promise<T[]>
  get<T>(table: TableName, key: string): Promise<T | undefined>
  /** All of it or nothing. True: it is on disk. */
  write(table: TableName, change: Change): Promise<boolean>
  /** One value, read and written in one step: no other tab comes between. */
  edit<T>(table: TableName, key: string, change: (before: T | undefined) => T): Promise<boolean>
  clear(table: TableName): Promise<boolean>
  close(): void
}

/** What a browser that works needs far less than. */
const OPEN_MS = 2_000
const ACT_MS = 10_000
/** After a failure storage is left alone for a while: it must not cost every answer a time limit. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export const databaseName = (userId: string) => `postil.${userId}`

type Opened = IDBPDatabase<unknown>

export function openDatabase(userId: string): Database {
  const isDurable = shallowRef(true)
  const editing = shallowRef(0)
  let opened: Promise<Opened> | null = null
  let failures = 0
  let pausedUntil = 0
  let isClosed = false

  function connect(): Promise<Opened> {
    opened ??= limit(openTables(databaseName(userId), drop), OPEN_MS, late => late.close())
    return opened
  }

  /** The connection is of no more use: the next act opens another one. */
  function drop(): void {
    opened?.then(database => database.close()).catch(() => undefined)
    opened = null
  }

  async function act<R>(work: (database: Opened) => Promise<R>): Promise<R> {
    try {
      return await limit(connect().then(work), ACT_MS)
    } catch (error) {
      drop()
      throw error
    }
  }

  /** Null: it failed, or failed a moment ago. A connection that was closed meanwhile (site data cleared) gets a second try. */
  async function attempt<R>(work: (database: Opened) => Promise<R>): Promise<{ value: R } | null> {
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

  async function change(work: (database: Opened) => Promise<void>): Promise<boolean> {
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
    all: async <T>(table: TableName) => ((await attempt(database => database.getAll(table)))?.value ?? []) as T[],
    get: async <T>(table: TableName, key: string) =>
      (await attempt(database => database.get(table, key)))?.value as T | undefined,
    write: (table, { isWhole = false, put = [], delete: gone = [] }) =>
      change(async database => {
        const transaction = database.transaction(table, 'readwrite', { durability: 'strict' })
        // A request that fails aborts the transaction, which is what is waited for; one that throws leaves nobody waiting.
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
 * A page of a newer build may want to change the tables while this one is open: it gets the way free at once, and this page
 * goes on without storage.
 */
async function openTables(name: string, onGone: () => void): Promise<Opened> {
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
