/**
 * Evaluates a text query over the segments of a dataset in two steps: finding the matching records, and scoring them. In between,
 * the caller removes records that do not match its filters, so that only possible hits are scored.
 *
 * A score is the sum over all words that are not negated, in every branch of the query. If a record without any of the words can
 * match, 1 is added to the score of every match.
 */
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import { Bitmap } from '../bitmap.ts'
import { createLeafSearch, findLeaf, type LeafSearch, scoreLeaf } from './leaf.ts'
import type { LiveSegment } from './live.ts'

export interface TextIndex {
  segments: readonly LiveSegment[]
  /** Ordinals of all records, including those without text, because they match negated queries. */
  records: Bitmap
}

export interface TextSearch {
  tree: TextQuery
  /** Index of the only field to search; null for all fields. A field without text matches nothing. */
  field: number | null
}

export interface PreparedTextSearch {
  /** Returns the matching records as a new bitmap. */
  find(): Bitmap
  /**
   * Writes scores by ordinal. They are valid only for `matches`, a subset of the records that `find` returns. `scores` must have
   * room for all ordinals.
   */
  score(matches: Bitmap, scores: Float64Array): void
}

/** Prepares a text search. Dictionary lookups are cached, so that both steps share them. */
export function prepareTextSearch({ segments, records }: TextIndex, { tree, field }: TextSearch): PreparedTextSearch {
  const fieldCount = segments.reduce((most, { segment }) => Math.max(most, segment.fields.length), 0)
  const fields = field === null ? Array.from({ length: fieldCount }, (_, i) => i) : [field]
  const size = records.words.length * 32
  const search = createLeafSearch({ segments, size, fields })
  return {
    find() {
      const { bits, complement } = evaluate(search, tree)
      return complement ? records.clone().andNot(bits) : bits
    },
    score(matches, scores) {
      scores.fill(matchesByLack(tree) ? 1 : 0)
      for (const leaf of positiveLeaves(tree, true)) scoreLeaf(search, leaf, { matches, scores })
    },
  }
}

/** A set of records: the bits, or all records except the bits if `complement` is true. This makes negation free until the end. */
interface MatchSet {
  bits: Bitmap
  complement: boolean
}

function evaluate(search: LeafSearch, tree: TextQuery): MatchSet {
  switch (tree.kind) {
    case 'all':
      return { bits: new Bitmap(), complement: true }
    case 'none':
      return { bits: new Bitmap(), complement: false }
    case 'not':
      return negate(evaluate(search, tree.part))
    case 'and':
      return intersectAll(tree.parts, part => evaluate(search, part))
    case 'or':
      return negate(intersectAll(tree.parts, part => negate(evaluate(search, part))))
    default:
      return { bits: findLeaf(search, tree), complement: false }
  }
}

const negate = ({ bits, complement }: MatchSet): MatchSet => ({ bits, complement: !complement })

/** Intersects the results of all parts. Stops as soon as the result is empty. */
function intersectAll(parts: readonly TextQuery[], find: (part: TextQuery) => MatchSet): MatchSet {
  let found: MatchSet = { bits: new Bitmap(), complement: true }
  for (const part of parts) {
    found = intersect(found, find(part))
    if (!found.complement && found.bits.isEmpty()) break
  }
  return found
}

/** Intersects two results. Reuses the bitmap of one of them. */
function intersect(left: MatchSet, right: MatchSet): MatchSet {
  if (left.complement && right.complement) return { bits: left.bits.or(right.bits), complement: true }
  const [wanted, other] = left.complement ? [right, left] : [left, right]
  const bits = other.complement ? wanted.bits.andNot(other.bits) : wanted.bits.and(other.bits)
  return { bits, complement: false }
}

/** True if a record without any of the words matches. */
function matchesByLack(tree: TextQuery): boolean {
  switch (tree.kind) {
    case 'all':
      return true
    case 'not':
      return !matchesByLack(tree.part)
    case 'and':
      return tree.parts.every(matchesByLack)
    case 'or':
      return tree.parts.some(matchesByLack)
    default:
      return false
  }
}

/** Returns the leaves below an even number of negations. The others do not contribute to the score. */
function positiveLeaves(tree: TextQuery, positive: boolean): TextQueryLeaf[] {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return tree.parts.flatMap(part => positiveLeaves(part, positive))
    case 'not':
      return positiveLeaves(tree.part, !positive)
    case 'all':
    case 'none':
      return []
    default:
      return positive ? [tree] : []
  }
}
