/**
 * Small things that one person left in this browser (local storage), each under a key with the person's id. A browser that
 * stores nothing still remembers them until the page is left.
 */
export interface Items {
  get(name: string): string | null
  /** Null removes it. */
  set(name: string, value: string | null): void
  /** What was stored under the name, or null for what is missing or no JSON. */
  read(name: string): unknown
  keep(name: string, value: unknown): void
}

/** Null where the browser refuses even to name it. */
export function findLocalStorage(): Storage | null {
  try {
    return globalThis.localStorage ?? null
  } catch {
    return null
  }
}

export const itemKey = (userId: string, name: string) => `postil.${userId}.${name}`

export function openItems(
  userId: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null = findLocalStorage(),
): Items {
  /** What could not be stored. */
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
