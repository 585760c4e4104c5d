/**
 * The tree of a query text as a query of the engines. Leaves are looked up as they are, without analysis: the index holds our own tokens.
 *
 * Which records match is the same on every engine. Scores are the engine's own.
 */
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import { TOKEN_LENGTH_MAX } from '@postil/domain/search/tokens'
import { SLOP_MAX, toEngineTokens } from './document-text.ts'
import type { Clause } from './flavour.ts'
import { allOf, anyOf, constantScore, MATCH_ALL, MATCH_NONE, noneOf } from './query-clauses.ts'

/** How many similar words count for the score of a fuzzy word. */
export const FUZZY_SCORED_MAX = 10
const PHRASE_PREFIX_MAX = 1000

export interface TextScope {
  /** The index fields to look into. */
  paths: readonly string[]
  /** False if the scores do not matter. Fuzzy words that score take ten times as many clauses. */
  scored: boolean
}

export function toTextQuery(tree: TextQuery, scope: TextScope): Clause {
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

/** What must be missing adds nothing to the score, unless nothing else is asked for. */
function toConjunction(parts: readonly TextQuery[], scope: TextScope): Clause {
  const lacking = parts.flatMap(part => (part.kind === 'not' ? [toTextQuery(part.part, scope)] : []))
  const must = parts.flatMap(part => (part.kind === 'not' ? [] : [toTextQuery(part, scope)]))
  return must.length === 0 ? constantScore(noneOf(lacking)) : { bool: { must, must_not: lacking } }
}

/** A word must be found in one field as a whole. The scores of all fields that have it add up. */
function toLeaf(leaf: TextQueryLeaf, { paths, scored }: TextScope): Clause {
  // Any number of words that begin so, in any number of fields, score 1 together.
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

/** All words that are near enough are found; the nearest of them score. */
function toFuzzy(path: string, { token, distance }: Extract<TextQueryLeaf, { kind: 'fuzzy' }>, scored: boolean): Clause {
  // No token is so long.
  if (token.length > TOKEN_LENGTH_MAX + distance) return MATCH_NONE
  const near = { value: token, fuzziness: distance, transpositions: false, prefix_length: 0 }
  const found = { fuzzy: { [path]: { ...near, rewrite: 'constant_score' } } }
  if (!scored) return found
  return { bool: { filter: [found], should: [{ fuzzy: { [path]: { ...near, max_expansions: FUZZY_SCORED_MAX } } }] } }
}
