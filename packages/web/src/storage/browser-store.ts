/**
 * Small durable tables in the browser (IndexedDB). Where the browser gives none (some private windows), they live in memory,
 * and `isDurable` says so: the page then warns before it is left with unsent work.
 */
const DATABASE = 'postil'
const VERSION = 2
const TABLES = ['outbox', 'edits', 'views', 'copies'] as const
type TableName = (typeof TABLES)[number]

export interface Table<T> {
  all(): Promise<T[]>
  get(key: string): Promise<T | undefined>
  put(key: string, value: T): Promise<void>
  delete(key: string): Promise<void>
  clear(): Promise<void>
}

let opened: Promise<IDBDatabase | null> | undefined

const open = () => {
  opened ??= openDatabase()
  return opened
}

function openDatabase(): Promise<IDBDatabase | null> {
  return new Promise(resolve => {
    if (!('indexedDB' in globalThis)) return resolve(null)
    const request = indexedDB.open(DATABASE, VERSION)
    request.onupgradeneeded = () => {
      for (const name of TABLES) if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(null)
    request.onblocked = () => resolve(null)
  })
}

export const isDurable = async () => (await open()) !== null

/** A write is settled when it is on disk, not when it is planned. */
function run<R>(
  database: IDBDatabase,
  table: TableName,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<R>,
) {
  return new Promise<R>((resolve, reject) => {
    const transaction = database.transaction(table, mode, { durability: 'strict' })
    const request = act(transaction.objectStore(table))
    transaction.oncomplete = () => resolve(request.result)
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser refused to store this'))
    transaction.onerror = () => reject(transaction.error ?? request.error ?? new Error('The browser refused to store this'))
  })
}

export function openTable<T>(table: TableName): Table<T> {
  const memory = new Map<string, T>()
  return {
    all: async () => {
      const database = await open()
      return database ? run<T[]>(database, table, 'readonly', store => store.getAll()) : [...memory.values()]
    },
    get: async key => {
      const database = await open()
      return database ? run<T | undefined>(database, table, 'readonly', store => store.get(key)) : memory.get(key)
    },
    put: async (key, value) => {
      const database = await open()
      if (database) await run(database, table, 'readwrite', store => store.put(value, key))
      else memory.set(key, value)
    },
    delete: async key => {
      const database = await open()
      if (database) await run(database, table, 'readwrite', store => store.delete(key))
      else memory.delete(key)
    },
    clear: async () => {
      const database = await open()
      if (database) await run(database, table, 'readwrite', store => store.clear())
      else memory.clear()
    },
  }
}
