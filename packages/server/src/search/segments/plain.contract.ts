/** A naive computation of matches and scores from the texts, with which segments are compared. */
import { editDistance, matchesText } from '@postil/domain/search/text-match'
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import { tokenize } from '@postil/domain/search/tokens'
import type { TextDocument } from '../engine.ts'

export interface PlainQuery {
  tree: TextQuery
  field: number | null
}

export function plainlyMatches({ pieces }: TextDocument, { tree, field }: PlainQuery): boolean {
  const fields = new Map(pieces.map((texts, i) => [String(i), texts ?? []]))
  return matchesText(tree, fields, field === null ? null : String(field))
}

/** Returns the score of one of the documents. */
export function plainScore(documents: readonly TextDocument[], document: TextDocument, { tree, field }: PlainQuery): number {
  const fields = field === null ? document.pieces.map((_, i) => i) : [field]
  const shares = positiveLeaves(tree, true).map(leaf => leafScore(documents, document, fields, leaf))
  return shares.reduce((sum, share) => sum + share, matchesByLack(tree) ? 1 : 0)
}

/** True if a record without any of the words matches. */
function matchesByLack(tree: TextQuery): boolean {
  return matchesText(tree, new Map())
}

function positiveLeaves(tree: TextQuery, positive: boolean): TextQueryLeaf[] {
  if (tree.kind === 'and' || tree.kind === 'or') return tree.parts.flatMap(part => positiveLeaves(part, positive))
  if (tree.kind === 'not') return positiveLeaves(tree.part, !positive)
  return positive && tree.kind !== 'all' && tree.kind !== 'none' ? [tree] : []
}

/** Counts occurrences in the pieces of a field. */
type Count = (pieces: string[][]) => number

function leafScore(documents: readonly TextDocument[], document: TextDocument, fields: number[], leaf: TextQueryLeaf): number {
  const sum = (count: Count) => fields.reduce((total, field) => total + fieldScore(documents, document, field, count), 0)
  switch (leaf.kind) {
    case 'word':
      return leaf.runs.reduce((total, run) => total + sum(pieces => countPhrase(pieces, run, 0)), 0)
    case 'phrase':
      return sum(pieces => countPhrase(pieces, leaf.tokens, leaf.slop))
    case 'prefix':
      return fields.some(field =>
        tokensOf(document, field)
          .flat()
          .some(token => token.startsWith(leaf.start)),
      )
        ? 1
        : 0
    case 'fuzzy': {
      const tokens = new Set(documents.flatMap(other => fields.flatMap(field => tokensOf(other, field).flat())))
      return [...tokens].reduce((total, token) => {
        const distance = editDistance(token, leaf.token)
        if (distance > leaf.distance) return total
        const factor = Math.max(0, 1 - distance / Math.min([...token].length, [...leaf.token].length))
        return total + factor * sum(pieces => countPhrase(pieces, [token], 0))
      }, 0)
    }
  }
}

function fieldScore(documents: readonly TextDocument[], document: TextDocument, field: number, count: Count): number {
  const tf = count(tokensOf(document, field))
  if (tf === 0) return 0
  const lengths = documents.map(other => tokensOf(other, field).flat().length).filter(length => length > 0)
  const average = lengths.reduce((total, length) => total + length, 0) / lengths.length
  const holding = documents.filter(other => count(tokensOf(other, field)) > 0).length
  const idf = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5))
  const length = tokensOf(document, field).flat().length
  return (2.2 * idf * tf) / (tf + 1.2 * (0.25 + (0.75 * length) / average))
}

const tokensOf = ({ pieces }: TextDocument, field: number): string[][] => (pieces[field] ?? []).map(tokenize)

/** Counts the starts of the phrase at which at least one of its words is at its exact position. */
function countPhrase(pieces: string[][], phrase: readonly string[], slop: number): number {
  let count = 0
  for (const tokens of pieces) {
    for (let first = -phrase.length; first < tokens.length; first++) {
      const isUnmoved = phrase.some((word, i) => tokens[first + i] === word)
      if (isUnmoved && fits(tokens, phrase, first, slop)) count++
    }
  }
  return count
}

function fits(tokens: string[], phrase: readonly string[], first: number, slop: number): boolean {
  const left: (string | null)[] = [...tokens]
  return phrase.every((word, i) => {
    const place = left.findIndex((token, at) => token === word && at >= first + i && at <= first + i + slop)
    if (place >= 0) left[place] = null
    return place >= 0
  })
}
