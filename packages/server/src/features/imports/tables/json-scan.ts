/** Finds positions in JSON text without parsing it. Works on the bytes received so far. */

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT, COMMA, COLON] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x3a]

/** Returns the first position from `at` on that is not white space, and not the byte `also`. */
export function skipBlank(bytes: Uint8Array, at: number, also = 0x20): number {
  let next = at
  while (bytes[next] === 0x20 || bytes[next] === 0x0a || bytes[next] === 0x0d || bytes[next] === 0x09 || bytes[next] === also)
    next++
  return next
}

/** Returns the position after the string that starts at `at`, or -1 if its end has not been received yet. */
export function findStringEnd(bytes: Uint8Array, at: number): number {
  for (let next = at + 1; next < bytes.length; next++) {
    if (bytes[next] === BACKSLASH) next++
    else if (bytes[next] === QUOTE) return next + 1
  }
  return -1
}

/** Returns the position after the value that starts at `at`, or -1 if its end has not been received yet. */
export function findValueEnd(bytes: Uint8Array, at: number): number {
  let depth = 0
  let next = at
  while (next < bytes.length) {
    const byte = bytes[next]
    if (byte === QUOTE) {
      next = findStringEnd(bytes, next)
      if (next === -1) return -1
      if (depth === 0) return next
      continue
    }
    if (byte === OPEN || byte === OPEN_OBJECT) depth++
    if (byte === CLOSE || byte === CLOSE_OBJECT) {
      // The bracket closes the container of the value.
      if (depth === 0) return next
      depth--
      if (depth === 0) return next + 1
    }
    if (byte === COMMA && depth === 0) return next
    next++
  }
  return -1
}

export type FoundList = { path: string[]; begin: number } | 'more' | 'none'

/** Levels below the top that are searched for a list. */
const DEPTH_MAX = 3

/** Finds the list at the path, or the first list if there is no path. `begin` is the position after its bracket. */
export function findList(bytes: Uint8Array, wanted: readonly string[] | null): FoundList {
  return findBelow(bytes, skipBlank(bytes, 0), wanted, [])
}

function findBelow(bytes: Uint8Array, at: number, wanted: readonly string[] | null, path: string[]): FoundList {
  const byte = bytes[at]
  if (byte === undefined) return 'more'
  const isPlace = wanted === null || path.length === wanted.length
  if (byte === OPEN) return isPlace ? { path, begin: at + 1 } : 'none'
  if (byte !== OPEN_OBJECT || path.length >= (wanted?.length ?? DEPTH_MAX)) return 'none'
  let next = at + 1
  for (;;) {
    next = skipBlank(bytes, next)
    if (bytes[next] === COMMA) next = skipBlank(bytes, next + 1)
    if (bytes[next] === undefined) return 'more'
    if (bytes[next] !== QUOTE) return 'none'
    const keyEnd = findStringEnd(bytes, next)
    if (keyEnd === -1) return 'more'
    const key = readKey(bytes.subarray(next, keyEnd))
    const colon = skipBlank(bytes, keyEnd)
    if (bytes[colon] === undefined) return 'more'
    if (key === null || bytes[colon] !== COLON) return 'none'
    const value = skipBlank(bytes, colon + 1)
    if (wanted === null || wanted[path.length] === key) {
      const found = findBelow(bytes, value, wanted, [...path, key])
      if (found !== 'none') return found
    }
    next = findValueEnd(bytes, value)
    if (next === -1) return 'more'
  }
}

function readKey(bytes: Uint8Array): string | null {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as string
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
