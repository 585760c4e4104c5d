/**
 * Small items of one user in local storage, each under a key that contains the user's id. If the browser cannot store them, they
 * are kept in memory until the page is left.
 */
export interface Items {
  get(name: string): string | null
  /** Null removes the item. */
  set(name: string, value: string | null): void
  /** Returns the stored value, or null if it is missing or not valid JSON. */
  read(name: string): unknown
  keep(name: string, value: unknown): void
}

/** Returns null if the browser denies access to local storage. */
export function findLocalStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null
  } catch {
    return null
  }
}

export const itemKey = (userId: string, name: string) => `postil.${userId}.${name}`

export function createItems(
  userId: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null = findLocalStorage(),
): Items {
  /** Items that could not be stored. */
  const unstored = new Map<string, string | null>()

  function get(name: string): string | null {
    const own = unstored.get(name)
    if (own !== undefined) return own
    try {
      return storage?.getItem(itemKey(userId, name)) ?? null
    } catch {
      return null
    }
  }

  function set(name: string, value: string | null): void {
    try {
      if (storage === null) throw new Error('No local storage')
      if (value === null) storage.removeItem(itemKey(userId, name))
      else storage.setItem(itemKey(userId, name), value)
      unstored.delete(name)
    } catch {
      unstored.set(name, value)
    }
  }

  function read(name: string): unknown {
    try {
      return JSON.parse(get(name) ?? 'null')
    } catch {
      return null
    }
  }

  return { get, set, read, keep: (name, value) => set(name, JSON.stringify(value)) }
}
