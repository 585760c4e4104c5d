/**
 * Cost limits for query texts, because any member may search and other requests wait meanwhile. With these limits, one query
 * takes about a second at 100,000 records of 80 words.
 */
import { invalid } from '../errors.ts'
import type { TextQuery, TextQueryLeaf } from './text-query.ts'

export const TEXT_QUERY_LEVELS_MAX = 100
/** Maximum number of tokens, each of which is looked up. A phrase or a joined word is one leaf with many tokens. */
const TOKENS_MAX = 2048
/** Limited because positions of the words in a phrase with slop are compared with each other. */
const LOOSE_TOKENS_MAX = 16
/** Limited because each fuzzy word is compared with every word of the index and expands to up to ten of them. */
const FUZZY_MAX = 8
/** Limited because the posting lists of all matching words are read. */
const PREFIXES_MAX = 32
/** Length of a prefix that matches very many words. */
const SHORT_PREFIX_LENGTH_MAX = 2
const SHORT_PREFIXES_MAX = 4
/** Limited because alternatives match many records and each adds to the score of every record. */
const ALTERNATIVES_MAX = 128

/** Removes duplicate words. Throws `invalid` if the query is still too expensive. */
export function checkTextQuery(tree: TextQuery): TextQuery {
  const once = withoutRepeats(tree)
  if (levelsOf(once) > TEXT_QUERY_LEVELS_MAX) {
    throw invalid(`The query text nests too deeply: at most ${TEXT_QUERY_LEVELS_MAX} levels are read`)
  }
  if (countTokens(once, () => true) > TOKENS_MAX) {
    throw invalid(`The query text has too many words: at most ${TOKENS_MAX} are read, those of phrases included`)
  }
  if (countTokens(once, slop => slop > 0) > LOOSE_TOKENS_MAX) {
    throw invalid(`The query text has too many words in loose phrases: at most ${LOOSE_TOKENS_MAX} are read`)
  }
  checkLeaves(once)
  return once
}

function checkLeaves(tree: TextQuery): void {
  const leaves = leavesOf(tree, false)
  const check = (what: string, max: number, isCounted: (leaf: TextQueryLeaf, isAlternative: boolean) => boolean) => {
    const count = leaves.filter(({ leaf, isAlternative }) => isCounted(leaf, isAlternative)).length
    if (count > max) throw invalid(`The query text has too many ${what}: ${count}, and at most ${max} are read`)
  }
  check('words that may be misspelt (`word~`)', FUZZY_MAX, leaf => leaf.kind === 'fuzzy')
  check('beginnings of words (`word*`)', PREFIXES_MAX, leaf => leaf.kind === 'prefix')
  check('beginnings of one or two letters (`a*`)', SHORT_PREFIXES_MAX, isShortPrefix)
  check('alternatives (`a | b`)', ALTERNATIVES_MAX, (_, isAlternative) => isAlternative)
}

const isShortPrefix = (leaf: TextQueryLeaf) => leaf.kind === 'prefix' && [...leaf.start].length <= SHORT_PREFIX_LENGTH_MAX

/** Returns all leaves. Alternatives are leaves below an `or`. */
function leavesOf(tree: TextQuery, isAlternative: boolean): { leaf: TextQueryLeaf; isAlternative: boolean }[] {
  switch (tree.kind) {
    case 'all':
    case 'none':
      return []
    case 'and':
    case 'or':
      return tree.parts.flatMap(part => leavesOf(part, isAlternative || tree.kind === 'or'))
    case 'not':
      return leavesOf(tree.part, isAlternative)
    default:
      return [{ leaf: tree, isAlternative }]
  }
}

function withoutRepeats(tree: TextQuery): TextQuery {
  if (tree.kind === 'word') return { kind: 'word', runs: unique(tree.runs) }
  if (tree.kind === 'not') return { kind: 'not', part: withoutRepeats(tree.part) }
  if (tree.kind !== 'and' && tree.kind !== 'or') return tree
  const parts = unique(tree.parts.map(withoutRepeats))
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: tree.kind, parts }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Map(values.map(value => [JSON.stringify(value), value])).values()]
}

/** Counts the tokens of all leaves whose slop is counted. Leaves other than phrases have a slop of 0. */
function countTokens(tree: TextQuery, isCounted: (slop: number) => boolean): number {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return tree.parts.reduce((sum, part) => sum + countTokens(part, isCounted), 0)
    case 'not':
      return countTokens(tree.part, isCounted)
    case 'phrase':
      return isCounted(tree.slop) ? tree.tokens.length : 0
    case 'word':
      return isCounted(0) ? tree.runs.flat().length : 0
    default:
      return isCounted(0) ? 1 : 0
  }
}

/** Every level has a leaf or a negation, so the number of leaves limits the recursion. */
function levelsOf(tree: TextQuery): number {
  if (tree.kind === 'not') return 1 + levelsOf(tree.part)
  if (tree.kind === 'and' || tree.kind === 'or') return 1 + tree.parts.reduce((most, part) => Math.max(most, levelsOf(part)), 0)
  return 1
}
