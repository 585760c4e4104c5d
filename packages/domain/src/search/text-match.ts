/** Reference implementation of text matching, token by token. Tests compare every engine with it. */
import type { TextQuery, TextQueryLeaf } from './text-query.ts'
import { tokenize } from './tokens.ts'

/** `fields` contains the text pieces by field. If `field` is given, only that field is searched. */
export function matchesText(
  tree: TextQuery,
  fields: ReadonlyMap<string, readonly string[]>,
  field: string | null = null,
): boolean {
  const searched = field === null ? [...fields.values()] : [fields.get(field) ?? []]
  return matches(
    tree,
    searched.map(pieces => pieces.map(tokenize)),
  )
}

function matches(tree: TextQuery, fields: string[][][]): boolean {
  switch (tree.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'and':
      return tree.parts.every(part => matches(part, fields))
    case 'or':
      return tree.parts.some(part => matches(part, fields))
    case 'not':
      return !matches(tree.part, fields)
    default:
      return fields.some(pieces => matchesLeaf(tree, pieces))
  }
}

function matchesLeaf(leaf: TextQueryLeaf, pieces: string[][]): boolean {
  switch (leaf.kind) {
    case 'word':
      return leaf.runs.every(run => pieces.some(tokens => hasPhrase(tokens, run, 0)))
    case 'phrase':
      return pieces.some(tokens => hasPhrase(tokens, leaf.tokens, leaf.slop))
    case 'prefix':
      return pieces.some(tokens => tokens.some(token => token.startsWith(leaf.start)))
    case 'fuzzy':
      return pieces.some(tokens => tokens.some(token => editDistance(token, leaf.token) <= leaf.distance))
  }
}

/**
 * Each word of the phrase has a separate position, and the positions, each minus the word's index in the phrase, differ by at
 * most `slop`. A gap of one word costs 1 and a swap of two words 2.
 */
export function hasPhrase(tokens: readonly string[], phrase: readonly string[], slop: number): boolean {
  // A slop larger than the number of positions has no further effect.
  const moves = Math.min(slop, tokens.length + phrase.length)
  for (let first = -moves - phrase.length; first < tokens.length; first++) {
    if (phraseFits(tokens, phrase, first, moves)) return true
  }
  return false
}

function phraseFits(tokens: readonly string[], phrase: readonly string[], first: number, slop: number): boolean {
  const taken = new Set<number>()
  return phrase.every((word, i) => {
    const last = Math.min(first + i + slop, tokens.length - 1)
    for (let place = Math.max(0, first + i); place <= last; place++) {
      if (tokens[place] === word && !taken.has(place)) {
        taken.add(place)
        return true
      }
    }
    return false
  })
}

/** Counts insertions, deletions and replacements of code points. A swap counts 2. */
export function editDistance(left: string, right: string): number {
  const from = [...left]
  const to = [...right]
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[to.length] ?? 0
}
