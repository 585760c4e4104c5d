/**
 * A text query over the segments of a dataset, in two steps: which records match, and how much the matches score. Between them the caller
 * removes records that its filters exclude, so that only records that can be hits are scored.
 *
 * Scores add up what every word contributes that is not negated, no matter in which branch of the query it stands. If a record can match by
 * what it lacks alone, every match scores 1 more.
 */
import type { TextQuery, TextQueryLeaf } from '@postil/domain/search/text-query'
import { Bitmap } from '../bitmap.ts'
import { findLeaf, type LeafSearch, openLeafSearch, scoreLeaf } from './leaf.ts'
import type { LiveSegment } from './live.ts'

export interface TextIndex {
  segments: readonly LiveSegment[]
  /** The ordinals of all records: also those without text match what asks for records that lack a word. */
  records: Bitmap
}

export interface TextSearch {
  tree: TextQuery
  /** The only field to look into, by its place in the documents; null for all. A field without text finds nothing. */
  field: number | null
}

export interface OpenTextSearch {
  /** The records that match, as a new bitmap. */
  find(): Bitmap
  /** Writes scores by ordinal, valid for `matches` only, which are some of those found. `scores` has room for all ordinals. */
  score(matches: Bitmap, scores: Float64Array): void
}

/** What is looked up in the dictionaries is kept from one step to the other. */
export function openTextSearch({ segments, records }: TextIndex, { tree, field }: TextSearch): OpenTextSearch {
  const fieldCount = segments.reduce((most, { segment }) => Math.max(most, segment.fields.length), 0)
  const fields = field === null ? Array.from({ length: fieldCount }, (_, i) => i) : [field]
  const size = records.words.length * 32
  const search = openLeafSearch({ segments, size, fields })
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

/** What is found: the bits, or as complement everything but the bits. So negation costs nothing until the end. */
interface Found {
  bits: Bitmap
  complement: boolean
}

function evaluate(search: LeafSearch, tree: TextQuery): Found {
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

const negate = ({ bits, complement }: Found): Found => ({ bits, complement: !complement })

/** What all parts find. Once nothing is left, the other parts are not evaluated. */
function intersectAll(parts: readonly TextQuery[], find: (part: TextQuery) => Found): Found {
  let found: Found = { bits: new Bitmap(), complement: true }
  for (const part of parts) {
    found = intersect(found, find(part))
    if (!found.complement && found.bits.isEmpty()) break
  }
  return found
}

/** What both find. Takes the bits of one of them for the result. */
function intersect(left: Found, right: Found): Found {
  if (left.complement && right.complement) return { bits: left.bits.or(right.bits), complement: true }
  const [wanted, other] = left.complement ? [right, left] : [left, right]
  const bits = other.complement ? wanted.bits.andNot(other.bits) : wanted.bits.and(other.bits)
  return { bits, complement: false }
}

/** Whether a record without any of the words matches. */
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

/** The leaves below an even number of negations: nothing scores below an odd number. */
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
