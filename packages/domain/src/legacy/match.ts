/** Matches records against a parsed query text, and finds the matched words. */
import { tokenize } from '../search/tokens.ts'
import { type Document, kindOfField, type Value, valuesOf } from './fields.ts'
import { matchesPattern } from './pattern.ts'
import type { QueryNode, Range } from './query-text.ts'

export function matches(document: Document, node: QueryNode): boolean {
  switch (node.type) {
    case 'all':
      return true
    case 'and':
      return node.nodes.every(part => matches(document, part))
    case 'or':
      return node.nodes.some(part => matches(document, part))
    case 'not':
      return !matches(document, node.node)
    case 'exists':
      return valuesOf(document, node.field).length > 0
    case 'range':
      return valuesOf(document, node.field).some(value => isInRange(value, node.range))
    case 'pattern':
      return partsOf(document, node.field).some(isPatternOf(node))
    case 'fuzzy':
      return matchesFuzzy(document, node)
    case 'term':
      return matchesTerm(document, node.field, node.text)
    case 'phrase':
      return matchesPhrase(document, node)
  }
}

/** Returns the words or whole values that patterns are matched against. */
function partsOf(document: Document, field: string): readonly string[] {
  const kind = kindOfField(field)
  const texts = valuesOf(document, field).map(String)
  if (kind === 'words') return texts.flatMap(text => document.wordsOf(text))
  return kind === 'exact' ? texts.flatMap(splitAtBlanks) : texts
}

const splitAtBlanks = (text: string) => text.split(/\s+/).filter(part => part !== '')

function matchesTerm(document: Document, field: string, wanted: string): boolean {
  const kind = kindOfField(field)
  const values = valuesOf(document, field)
  if (kind === 'values') return values.some(value => isEqual(value, wanted))
  if (kind === 'exact') return values.some(value => splitAtBlanks(String(value)).includes(wanted))
  const words = tokenize(wanted)
  const texts = values.map(String)
  return words.every(word => texts.some(text => hasWord(document, text, word)))
}

/** The substring check comes first, because it is faster than tokenizing and most texts do not contain the word. */
const hasWord = (document: Document, text: string, word: string) =>
  document.foldedOf(text).includes(word) && document.wordsOf(text).includes(word)

function isEqual(value: Value, wanted: string): boolean {
  if (typeof value === 'string') return value === wanted
  if (typeof value === 'number') return wanted.trim() !== '' && Number(wanted) === value
  return String(value) === wanted
}

function matchesPhrase(document: Document, { field, text, slop }: Extract<QueryNode, { type: 'phrase' }>): boolean {
  const kind = kindOfField(field)
  const values = valuesOf(document, field)
  if (kind === 'values') return values.some(value => isEqual(value, text))
  const wanted = kind === 'words' ? tokenize(text) : splitAtBlanks(text)
  return values.map(String).some(value => {
    if (kind === 'words' && !wanted.every(word => document.foldedOf(value).includes(word))) return false
    return hasPhrase(kind === 'words' ? document.wordsOf(value) : splitAtBlanks(value), wanted, slop)
  })
}

/**
 * True if the words form the phrase after at most `slop` moves: for each word, its position minus its place in the phrase is an
 * offset, and the offsets differ by at most `slop`.
 */
function hasPhrase(words: readonly string[], wanted: readonly string[], slop: number): boolean {
  if (wanted.length === 0) return true
  if (slop === 0) return words.some((_, start) => wanted.every((word, i) => words[start + i] === word))
  const places = new Map<string, number[]>()
  for (const [place, word] of wanted.entries()) places.set(word, [...(places.get(word) ?? []), place])
  const last: (number | undefined)[] = wanted.map(() => undefined)
  for (const [position, word] of words.entries()) {
    const own = places.get(word)
    if (own === undefined) continue
    for (const place of own) last[place] = position - place
    if (last.every(offset => offset !== undefined) && Math.max(...last) - Math.min(...last) <= slop) return true
  }
  return false
}

function matchesFuzzy(document: Document, node: Extract<QueryNode, { type: 'term' | 'fuzzy' }>): boolean {
  const { field, text, edits } = node
  const wanted = kindOfField(field) === 'words' ? tokenize(text) : [text]
  const parts = partsOf(document, field)
  const isNearAny = memoized(node, part => wanted.some(word => isNear(part, word, edits)))
  // Cheap check first: most records have no similar word.
  return parts.some(isNearAny) && wanted.every(word => parts.some(part => isNearAny(part) && isNear(part, word, edits)))
}

type Test = (part: string) => boolean

const PARTS_REMEMBERED_MAX = 100_000

/** Cached test results for words, by query node, because records share most of their words. */
const testResults = new WeakMap<QueryNode, Map<string, boolean>>()

function memoized(node: QueryNode, test: Test): Test {
  const known = testResults.get(node) ?? new Map<string, boolean>()
  testResults.set(node, known)
  return part => {
    const before = known.get(part)
    if (before !== undefined) return before
    const isTrue = test(part)
    if (known.size < PARTS_REMEMBERED_MAX) known.set(part, isTrue)
    return isTrue
  }
}

const isPatternOf = (node: Extract<QueryNode, { type: 'pattern' }>): Test =>
  memoized(node, part => matchesPattern(node.pattern, part))

/** True if the edit distance is at most `edits`: insertions, deletions, replacements and transpositions of neighbours. */
export function isNear(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      next.push(best)
    }
    if (Math.min(...next) > edits) return false
    ;[before, row] = [row, next]
  }
  return (row[b.length] ?? 0) <= edits
}

const DATE = /^\d{4}-\d{2}-\d{2}/

/** Times without a zone are UTC. */
const toTime = (text: string) => Date.parse(text.length > 10 && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text)

/** Negative if `value` comes before `bound`; NaN if they cannot be compared. */
function compareTo(value: Value, bound: string): number {
  if (typeof value === 'number') return bound.trim() === '' ? Number.NaN : value - Number(bound)
  const text = String(value)
  if (DATE.test(text) && DATE.test(bound)) {
    const difference = toTime(text) - toTime(bound)
    if (!Number.isNaN(difference)) return difference
  }
  return text < bound ? -1 : text > bound ? 1 : 0
}

function isInRange(value: Value, { from, to }: Range): boolean {
  const [low, high] = [from ? compareTo(value, from.value) : 1, to ? compareTo(value, to.value) : -1]
  return (low > 0 || (low === 0 && from?.isIncluded === true)) && (high < 0 || (high === 0 && to?.isIncluded === true))
}

/** Returns the matched words as they are written in the record's texts, and phrases as they are written in the query. */
export function keywordsOf(document: Document, node: QueryNode): string[] {
  const found = new Set<string>()
  const wanted: ((word: string) => boolean)[] = []
  const collect = (part: QueryNode): void => {
    if (part.type === 'and' || part.type === 'or') for (const inner of part.nodes) collect(inner)
    if (!('field' in part) || !/^(text|inputs)(\.|$)/.test(part.field)) return
    if (part.type === 'phrase' && matches(document, part)) found.add(part.text)
    if (part.type === 'term') {
      const words = new Set(tokenize(part.text))
      wanted.push(word => words.has(word))
    }
    if (part.type === 'pattern') wanted.push(word => matchesPattern(part.pattern, word))
    if (part.type === 'fuzzy') wanted.push(word => isNear(word, tokenize(part.text)[0] ?? '', part.edits))
  }
  collect(node)
  if (wanted.length > 0) {
    for (const [written] of document.derived.text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
      if (tokenize(written).some(word => wanted.some(isWanted => isWanted(word)))) found.add(written)
    }
  }
  return [...found]
}
