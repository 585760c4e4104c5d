/**
 * Converts the parsed text query to a query of the engines. Leaves are looked up without analysis, because the index contains our
 * own tokens.
 *
 * All engines match the same records. Scores depend on the engine.
 */
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import { TOKEN_LENGTH_MAX } from '@postil/domain/search/tokens'
import { SLOP_MAX, toEngineTokens } from './document-text.ts'
import type { Clause } from './flavour.ts'
import { allOf, anyOf, constantScore, MATCH_ALL, MATCH_NONE, noneOf } from './query-clauses.ts'

/** Maximum number of similar words that contribute to the score of a fuzzy word. */
export const FUZZY_SCORED_MAX = 10
const PHRASE_PREFIX_MAX = 1000

export interface TextPaths {
  /** The index fields to search. */
  paths: readonly string[]
  /** False if scores are not needed. Fuzzy words with scores need ten times as many clauses. */
  scored: boolean
}

export function toTextQuery(tree: TextQuery, scope: TextPaths): Clause {
  switch (tree.kind) {
    case 'all':
      return MATCH_ALL
    case 'none':
      return MATCH_NONE
    case 'and':
      return toConjunction(tree.parts, scope)
    case 'or':
      return anyOf(tree.parts.map(part => toTextQuery(part, scope)))
    case 'not':
      return constantScore(noneOf([toTextQuery(tree.part, scope)]))
    default:
      return toLeaf(tree, scope)
  }
}

/** Negated parts do not contribute to the score, unless there are no others. */
function toConjunction(parts: readonly TextQuery[], scope: TextPaths): Clause {
  const lacking = parts.flatMap(part => (part.kind === 'not' ? [toTextQuery(part.part, scope)] : []))
  const must = parts.flatMap(part => (part.kind === 'not' ? [] : [toTextQuery(part, scope)]))
  return must.length === 0 ? constantScore(noneOf(lacking)) : { bool: { must, must_not: lacking } }
}

/** All parts of a word must be found in the same field. The scores of all matching fields are added. */
function toLeaf(leaf: TextQueryLeaf, { paths, scored }: TextPaths): Clause {
  // Scores 1, regardless of how many words in how many fields have the prefix.
  if (leaf.kind === 'prefix') return constantScore(anyOf(paths.map(path => toPrefix(path, leaf.start))))
  return anyOf(paths.map(path => toFieldLeaf(path, leaf, scored)))
}

function toFieldLeaf(path: string, leaf: Exclude<TextQueryLeaf, { kind: 'prefix' }>, scored: boolean): Clause {
  switch (leaf.kind) {
    case 'word':
      return allOf(leaf.runs.map(run => toPhrase(path, run, 0)))
    case 'phrase':
      return toPhrase(path, leaf.tokens, leaf.slop)
    case 'fuzzy':
      return toFuzzy(path, leaf, scored)
  }
}

function toPhrase(path: string, tokens: readonly string[], slop: number): Clause {
  const indexed = toEngineTokens(tokens)
  if (indexed.length === 1) return { term: { [path]: indexed[0] } }
  return { match_phrase: { [path]: { query: indexed.join(' '), slop: Math.min(slop, SLOP_MAX) } } }
}

function toPrefix(path: string, start: string): Clause {
  const indexed = toEngineTokens([start])
  if (indexed.length === 1) return { prefix: { [path]: start } }
  return { match_phrase_prefix: { [path]: { query: indexed.join(' '), max_expansions: PHRASE_PREFIX_MAX } } }
}

/** Finds all words within the distance. Only the nearest ones contribute to the score. */
function toFuzzy(path: string, { token, distance }: Extract<TextQueryLeaf, { kind: 'fuzzy' }>, scored: boolean): Clause {
  // Tokens are never that long.
  if (token.length > TOKEN_LENGTH_MAX + distance) return MATCH_NONE
  const near = { value: token, fuzziness: distance, transpositions: false, prefix_length: 0 }
  const found = { fuzzy: { [path]: { ...near, rewrite: 'constant_score' } } }
  if (!scored) return found
  return { bool: { filter: [found], should: [{ fuzzy: { [path]: { ...near, max_expansions: FUZZY_SCORED_MAX } } }] } }
}
