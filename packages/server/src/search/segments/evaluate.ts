/**
 * A text query over the segments of a dataset.
 *
 * Every record of the dataset is a document of exactly one segment in use, also if it has no text: a query for what records
 * lack finds it there. Scores add up what every word contributes that is not negated, no matter in which branch of the
 * query it stands. If a record can match by what it lacks alone, every match scores 1 more.
 */
import type { TextQuery } from '@postil/domain/search/text-query'
import { countBits, intersectBits, newBits, subtractBits, uniteBits } from './bits.ts'
import { findLeaf, type LeafSearch } from './leaf.ts'
import { type LiveSegment, liveOrdinals } from './live.ts'

export interface TextIndex {
  segments: readonly LiveSegment[]
  /** How many ordinals the dataset has given out. */
  size: number
}

export interface TextSearch {
  tree: TextQuery
  /** The only field to look into, by its place in the documents; null for all. A field without text finds nothing. */
  field: number | null
  scored: boolean
}

export interface TextMatches {
  /** A bitmap of ordinals. */
  matches: Uint32Array
  total: number
  /** By ordinal, valid for matches only; null if not asked for. */
  scores: Float64Array | null
}

export function evaluateText({ segments, size }: TextIndex, { tree, field, scored }: TextSearch): TextMatches {
  const fieldCount = segments.reduce((most, { segment }) => Math.max(most, segment.fields.length), 0)
  const fields = field === null ? Array.from({ length: fieldCount }, (_, i) => i) : [field]
  const search = { segments, size, fields }
  const scores = scored ? new Float64Array(size) : null
  const { bits, complement } = evaluate(search, tree, { scores, positive: true })
  let matches = bits
  if (complement) {
    matches = liveOrdinals(segments, size)
    subtractBits(matches, bits)
    scores?.forEach((score, ordinal) => {
      scores[ordinal] = score + 1
    })
  }
  return { matches, total: countBits(matches), scores }
}

/** What is found: the bits, or as complement everything but the bits. So negation costs nothing until the end. */
interface Found {
  bits: Uint32Array
  complement: boolean
}

interface Branch {
  scores: Float64Array | null
  /** False below an odd number of negations: nothing scores there. */
  positive: boolean
}

function evaluate(search: LeafSearch, tree: TextQuery, branch: Branch): Found {
  switch (tree.kind) {
    case 'all':
      return { bits: newBits(search.size), complement: true }
    case 'none':
      return { bits: newBits(search.size), complement: false }
    case 'not':
      return negate(evaluate(search, tree.part, { ...branch, positive: !branch.positive }))
    case 'and':
      return tree.parts.map(part => evaluate(search, part, branch)).reduce(intersect)
    case 'or':
      return negate(tree.parts.map(part => negate(evaluate(search, part, branch))).reduce(intersect))
    default:
      return { bits: findLeaf(search, tree, branch.positive ? branch.scores : null), complement: false }
  }
}

const negate = ({ bits, complement }: Found): Found => ({ bits, complement: !complement })

/** What both find. Takes the bits of one of them for the result. */
function intersect(left: Found, right: Found): Found {
  if (left.complement && right.complement) {
    uniteBits(left.bits, right.bits)
    return left
  }
  const [wanted, other] = left.complement ? [right, left] : [left, right]
  if (other.complement) subtractBits(wanted.bits, other.bits)
  else intersectBits(wanted.bits, other.bits)
  return wanted
}
