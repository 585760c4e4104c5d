/**
 * Parses the text of the search box into a tree.
 *
 * The grammar is that of a "simple query string": `+ | - " ( ) * ~ \`, evaluated from left to right with equal precedence and AND
 * between words. There are no syntax errors; meaningless parts are ignored. The parser has its own stack, so that ten thousand
 * brackets only cost linear time.
 */
import { invalid } from '../errors.ts'
import { checkTextQuery } from './text-query-limits.ts'
import { foldText, isUnspaced, tokenize } from './tokens.ts'

export const TEXT_QUERY_LEAVES_MAX = 1024

/** `all` and `none` occur only at the root. Inside a tree they are simplified. */
export type TextQuery =
  | { kind: 'all' }
  | { kind: 'none' }
  | { kind: 'and'; parts: TextQuery[] }
  | { kind: 'or'; parts: TextQuery[] }
  | { kind: 'not'; part: TextQuery }
  | TextQueryLeaf

export type TextQueryLeaf =
  /** All runs are in the same field, in any order; the tokens of a run are consecutive. Usually one run of one token. */
  | { kind: 'word'; runs: string[][] }
  /** The tokens are in one piece of a field, in this order, with at most `slop` moves. */
  | { kind: 'phrase'; tokens: string[]; slop: number }
  /** A token starts with this text. It only contains characters that a token can contain. */
  | { kind: 'prefix'; start: string }
  /** A token is at most `distance` insertions, deletions and replacements away. */
  | { kind: 'fuzzy'; token: string; distance: 1 | 2 }

type Operator = 'and' | 'or'

/** The contents of one pair of brackets, or the whole text. */
interface Level {
  end: number
  tree: TextQuery | null
  operator: Operator | null
  negated: boolean
}

interface Reader {
  text: string
  at: number
  leaves: number
  /** Positions of closing brackets by position of the opening bracket. */
  closing: Map<number, number>
}

/** Parses a query text. Throws `invalid` only if it is too large. */
export function parseTextQuery(text: string): TextQuery {
  if (text.trim() === '*') return { kind: 'all' }

  const reader: Reader = { text, at: 0, leaves: 0, closing: pairBrackets(text) }
  let level: Level = { end: text.length, tree: null, operator: null, negated: false }
  const outer: Level[] = []
  for (;;) {
    if (reader.at >= level.end) {
      const parent = outer.pop()
      if (parent === undefined) break
      reader.at = level.end + 1
      add(parent, level.tree)
      level = parent
    } else {
      level = readNext(reader, level, outer)
    }
  }

  return checkTextQuery(level.tree ?? { kind: 'none' })
}

/** Reads one operator, word or phrase, or enters a bracket. Returns the level to continue with. */
function readNext(reader: Reader, level: Level, outer: Level[]): Level {
  const character = reader.text.charAt(reader.at)
  switch (character) {
    case '(': {
      const close = reader.closing.get(reader.at)
      reader.at++
      if (close === undefined || close >= level.end) return clearNegation(level)
      outer.push(level)
      return { end: close, tree: null, operator: null, negated: false }
    }
    case '"':
      readPhrase(reader, level)
      return level
    case '+':
    case '|':
      // Only the first of several operators counts, and none before the first word.
      if (level.tree !== null) level.operator ??= character === '+' ? 'and' : 'or'
      reader.at++
      return clearNegation(level)
    case '-':
      level.negated = !level.negated
      reader.at++
      return level
    default:
      // A minus only negates what directly follows it.
      if (character === ')' || isBlank(character)) {
        reader.at++
        return clearNegation(level)
      }
      readWord(reader, level)
      return level
  }
}

function clearNegation(level: Level): Level {
  level.negated = false
  return level
}

/** Adds a branch to the level. Empty brackets have no branch; their operator is dropped. */
function add(level: Level, branch: TextQuery | null): void {
  if (branch !== null) {
    const signed = level.negated ? negate(branch) : branch
    level.tree = level.tree === null ? signed : join(level.operator ?? 'and', level.tree, signed)
  }
  level.operator = null
  level.negated = false
}

function negate(tree: TextQuery): TextQuery {
  if (tree.kind === 'not') return tree.part
  if (tree.kind === 'all') return { kind: 'none' }
  if (tree.kind === 'none') return { kind: 'all' }
  return { kind: 'not', part: tree }
}

function join(operator: Operator, left: TextQuery, right: TextQuery): TextQuery {
  const [decides, yields] = operator === 'and' ? ['none', 'all'] : ['all', 'none']
  if (left.kind === decides || right.kind === yields) return left
  if (right.kind === decides || left.kind === yields) return right
  const partsOf = (tree: TextQuery) => (tree.kind === operator ? tree.parts : [tree])
  return { kind: operator, parts: [...partsOf(left), ...partsOf(right)] }
}

function addLeaf(reader: Reader, level: Level, leaf: TextQuery): void {
  reader.leaves++
  if (reader.leaves > TEXT_QUERY_LEAVES_MAX) {
    throw invalid(`The query text has too many words: at most ${TEXT_QUERY_LEAVES_MAX} are read`)
  }
  add(level, leaf)
}

function readPhrase(reader: Reader, level: Level): void {
  const start = reader.at + 1
  const close = findClosingQuote(reader.text, start, level.end)
  if (close === null) {
    reader.at = start
    clearNegation(level)
    return
  }
  reader.at = close + 1
  if (close === start) {
    add(level, null)
    return
  }
  const tokens = tokenize(unescapeText(reader.text.slice(start, close)))
  const slop = readNumberAfterTilde(reader, level.end)
  addLeaf(reader, level, tokens.length === 0 ? { kind: 'none' } : { kind: 'phrase', tokens, slop: slop ?? 0 })
}

function findClosingQuote(text: string, start: number, end: number): number | null {
  for (let i = start; i < end; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return null
}

/**
 * Reads `~2`, or `~` as 2. Returns null if there is no tilde, or if a lone tilde ends the text, so that a phrase stays strict.
 */
function readNumberAfterTilde(reader: Reader, end: number): number | null {
  if (reader.at >= end || reader.text[reader.at] !== '~') return null
  const start = reader.at + 1
  reader.at = start
  while (reader.at < end && isDigit(reader.text.charAt(reader.at))) reader.at++
  return reader.at === start ? (start < end ? 2 : null) : Math.min(Number(reader.text.slice(start, reader.at)), 1_000_000)
}

function readWord(reader: Reader, level: Level): void {
  let word = ''
  let star = false
  let tilde = false
  while (reader.at < level.end) {
    const character = reader.text.charAt(reader.at)
    if (character === '\\') {
      star = false
      if (reader.at + 1 < level.end) word += reader.text.charAt(reader.at + 1)
      reader.at += 2
      continue
    }
    if (endsWord(character)) break
    tilde = character === '~' && word !== ''
    if (tilde) break
    star = character === '*' && word !== ''
    word += character
    reader.at++
  }
  if (tilde) {
    const distance = readNumberAfterTilde(reader, level.end) ?? 2
    addLeaf(reader, level, distance === 0 ? toWord(word) : toFuzzy(word, distance))
  } else if (word !== '') {
    addLeaf(reader, level, star ? toPrefix(word.slice(0, -1)) : toWord(word))
  } else {
    clearNegation(level)
  }
}

function toWord(text: string): TextQuery {
  const runs: string[][] = []
  let lastUnspaced = false
  for (const token of tokenize(text)) {
    const unspaced = isUnspaced(token)
    // Consecutive characters of a script without spaces form one word, in this order.
    if (unspaced && lastUnspaced) runs.at(-1)?.push(token)
    else runs.push([token])
    lastUnspaced = unspaced
  }
  return runs.length === 0 ? { kind: 'none' } : { kind: 'word', runs }
}

function toPrefix(text: string): TextQuery {
  const start = foldText(text)
  // A prefix is compared with whole tokens, so it must be extendable to a single token: `example.` is, `covid-1` is not.
  const isStart = ['a', '0'].some(next => tokenize(start + next)[0] === start + next)
  if (isStart) return { kind: 'prefix', start }
  // If each character is a token, the start of a word is a phrase.
  const tokens = tokenize(start)
  return tokens.some(isUnspaced) && tokens.join('') === start ? { kind: 'phrase', tokens, slop: 0 } : { kind: 'none' }
}

function toFuzzy(text: string, distance: number): TextQuery {
  const tokens = tokenize(text)
  if (tokens.length === 0) return { kind: 'none' }
  if (tokens.some(isUnspaced)) return toWord(text)
  return { kind: 'fuzzy', token: foldText(text), distance: distance === 1 ? 1 : 2 }
}

/** Pairs brackets in one pass, regardless of nesting in quotes. Escaped brackets are ignored. */
function pairBrackets(text: string): Map<number, number> {
  const closing = new Map<number, number>()
  const open: number[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '\\') i++
    else if (character === '(') open.push(i)
    else if (character === ')') {
      const start = open.pop()
      if (start !== undefined) closing.set(start, i)
    }
  }
  return closing
}

function unescapeText(text: string): string {
  return text.replace(/\\([\s\S]?)/g, '$1')
}

function endsWord(character: string): boolean {
  return '"|+()'.includes(character) || isBlank(character)
}

/** Includes every Unicode blank, such as the wide one of Japanese keyboards. */
function isBlank(character: string): boolean {
  return /\s/.test(character)
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}
