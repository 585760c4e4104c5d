/** What a query text may cost: any member may search, and others wait behind it. */
import { invalid } from '../errors.ts'
import type { TextQuery } from './text-query.ts'

export const TEXT_QUERY_LEVELS_MAX = 100
/** A phrase or a joined word is one leaf of many tokens; each is looked up. */
const TOKENS_MAX = 2048
/** The places of a loose phrase's words are compared with each other. */
const LOOSE_TOKENS_MAX = 16

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
  return once
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
