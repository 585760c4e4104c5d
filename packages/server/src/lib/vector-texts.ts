/**
 * Caches the JSON text of vectors in requests. The response to a bulk write repeats its vectors as sent; serializing the numbers
 * again would cost more than parsing them, and would be most of the work of the response.
 */
const texts = new WeakMap<readonly number[], string>()

export const toNumbersText = (numbers: readonly number[]): string => texts.get(numbers) ?? JSON.stringify(numbers)

interface BulkBody {
  items?: readonly ({ vectors?: Record<string, unknown> | null } | null)[]
}

/** Remembers the text of every vector in a bulk body. `body` was parsed from `text`, so the text is valid JSON. */
export function rememberVectorTexts(text: string, body: unknown): void {
  if (!text.includes('"vectors"')) return
  const { items } = (body ?? {}) as BulkBody
  if (!Array.isArray(items)) return
  for (const { item, name, slice } of findVectorTexts(text)) {
    const vector = items[item]?.vectors?.[name]
    if (Array.isArray(vector) && vector.length > 0) texts.set(vector, slice)
  }
}

/** Nesting depths of the keys that lead to a vector: `items`, `vectors` and the vector's name. */
const ITEMS = 1
const VECTORS = 3
const NAME = 4

interface VectorText {
  item: number
  name: string
  slice: string
}

/** Returns the text at `items[n].vectors[name]`. Returns nothing if a key contains escapes, because it could be any of these. */
function findVectorTexts(text: string): VectorText[] {
  let found: VectorText[] = []
  const keys: string[] = []
  const landmark = /["[\]{}]/g
  let depth = 0
  let item = -1
  for (let match = landmark.exec(text); match !== null; match = landmark.exec(text)) {
    const at = match.index
    const sign = match[0]
    if (sign === '"') {
      const end = endOfString(text, at + 1)
      landmark.lastIndex = end
      if (depth > NAME || !/^\s*:/.test(text.slice(end, end + 20))) continue
      const key = text.slice(at + 1, end - 1)
      if (key.includes('\\')) return []
      keys[depth] = key
    } else if (sign === ']' || sign === '}') {
      depth--
    } else {
      const isVector = sign === '[' && depth === NAME && keys[ITEMS] === 'items' && keys[VECTORS] === 'vectors'
      if (isVector) {
        const end = text.indexOf(']', at) + 1
        found.push({ item, name: keys[NAME] ?? '', slice: text.slice(at, end) })
        // Validation refuses arrays of arrays and of strings later; here they must not count as numbers.
        if (/["[{]/.test(text.slice(at + 1, end))) return []
        landmark.lastIndex = end
        continue
      }
      // If the key `items` is repeated, the last one is used.
      if (depth === ITEMS && keys[ITEMS] === 'items') [found, item] = [[], -1]
      depth++
      if (depth === VECTORS) item++
    }
  }
  return found
}

/** Returns the position after the closing quote. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}
