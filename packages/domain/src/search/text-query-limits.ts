/**
 * What a query text may cost: any member may search, and others wait behind it. The limits keep one query to about a second
 * at 100,000 records of 80 words.
 */
import { invalid } from '../errors.ts'
import type { TextQuery, TextQueryLeaf } from './text-query.ts'

export const TEXT_QUERY_LEVELS_MAX = 100
/** A phrase or a joined word is one leaf of many tokens; each is looked up. */
const TOKENS_MAX = 2048
/** The places of a loose phrase's words are compared with each other. */
const LOOSE_TOKENS_MAX = 16
/** Each is compared with every word of the index, and stands for up to ten of them. */
const FUZZY_MAX = 8
/** The places of all words that begin so are read. */
const PREFIXES_MAX = 32
/** Very many words begin with the same two letters. */
const SHORT_PREFIX_LENGTH_MAX = 2
const SHORT_PREFIXES_MAX = 4
/** Words of which one is enough find many records, and all of them add to the score of each. */
const ALTERNATIVES_MAX = 128

/** The same query without words that are asked for twice. Throws `invalid` when it is still too much. */
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

/** All leaves; alternatives are those below an `or`. */
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

/** Tokens of all leaves whose slop is counted; leaves that are no phrase have none. */
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

/** Every level holds a leaf of its own or a negation, so the recursion is bounded by the number of leaves. */
function levelsOf(tree: TextQuery): number {
  if (tree.kind === 'not') return 1 + levelsOf(tree.part)
  if (tree.kind === 'and' || tree.kind === 'or') return 1 + tree.parts.reduce((most, part) => Math.max(most, levelsOf(part)), 0)
  return 1
}
