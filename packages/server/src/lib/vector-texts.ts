/**
 * The JSON texts that vectors came from. A bulk write answers its vectors as they were sent; writing their numbers anew
 * costs more than parsing them did, and would be most of the work of an answer.
 */
const texts = new WeakMap<readonly number[], string>()

export const toNumbersText = (numbers: readonly number[]): string => texts.get(numbers) ?? JSON.stringify(numbers)

interface BulkBody {
  items?: readonly ({ vectors?: Record<string, unknown> | null } | null)[]
}

/** Remembers the text of every vector in a bulk body. `text` is what `body` was parsed from, so it is known to be JSON. */
export function rememberVectorTexts(text: string, body: unknown): void {
  if (!text.includes('"vectors"')) return
  const { items } = (body ?? {}) as BulkBody
  if (!Array.isArray(items)) return
  for (const { item, name, slice } of findVectorTexts(text)) {
    const vector = items[item]?.vectors?.[name]
    if (Array.isArray(vector) && vector.length > 0) texts.set(vector, slice)
  }
}

/** Depths at which the keys stand that lead to a vector: `items`, `vectors` and the vector's name. */
const ITEMS = 1
const VECTORS = 3
const NAME = 4

interface Found {
  item: number
  name: string
  slice: string
}

/** What stands at `items[n].vectors[name]`. Nothing when a key is written with escapes: it could be any of these. */
function findVectorTexts(text: string): Found[] {
  let found: Found[] = []
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
        // Lists of lists and of texts are refused later; here they must not be taken for numbers.
        if (/["[{]/.test(text.slice(at + 1, end))) return []
        landmark.lastIndex = end
        continue
      }
      // The last of two lists called `items` is the one that counts.
      if (depth === ITEMS && keys[ITEMS] === 'items') [found, item] = [[], -1]
      depth++
      if (depth === VECTORS) item++
    }
  }
  return found
}

/** The position after the closing quote. */
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
