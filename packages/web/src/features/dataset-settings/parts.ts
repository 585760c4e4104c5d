/** Which parts of a block differ from what is stored. */

/** Same content; the order of keys means nothing, that of lists does. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [mine, theirs] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return mine.length === theirs.size && mine.every(([key, value]) => theirs.has(key) && isSame(value, theirs.get(key)))
}

export const changedParts = <T extends object>(stored: T, draft: T): (keyof T & string)[] =>
  (Object.keys(draft) as (keyof T & string)[]).filter(part => !isSame(stored[part], draft[part]))
