/** Finds the parts of a block that differ from the stored version. */

/** Deep equality: the order of keys is ignored, the order of lists is not. */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [mine, theirs] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))]
  return mine.length === theirs.size && mine.every(([key, value]) => theirs.has(key) && isDeepEqual(value, theirs.get(key)))
}

export const changedParts = <T extends object>(stored: T, draft: T): (keyof T & string)[] =>
  (Object.keys(draft) as (keyof T & string)[]).filter(part => !isDeepEqual(stored[part], draft[part]))
