/**
 * Finds the words of a query in the texts of a matching record.
 *
 * Negated words are not highlighted. Words of a phrase are highlighted only as part of the phrase, but words of a phrase with
 * slop everywhere. Adjacent ranges, common in scripts without spaces, are merged.
 */

import { editDistance } from './text-match.ts'
import type { TextQuery, TextQueryLeaf } from './text-query.ts'
import { iterateTokenPositions, type TokenPosition } from './token-positions.ts'
import { tokenize } from './tokens.ts'

/** Start and exclusive end in code points. */
export type HighlightRange = [start: number, end: number]

/** Maximum number of ranges in one field. */
export const RANGES_MAX = 200
/**
 * Budget of one response in characters read and tokens compared, a few hundred milliseconds. After it is used up, texts are
 * returned without highlights.
 */
const STEPS_MAX = 4_000_000
/** Same limit as in engines. Further fuzzy words are matched exactly. */
const FUZZY_MAX = 32

export interface Highlighter {
  /** Returns the ranges in each text of a field, sorted and without overlaps. */
  mark(texts: readonly string[]): HighlightRange[][]
}

/** Consecutive tokens; usually one. */
type Run = readonly string[]

interface HighlightTerms {
  /** The runs of a leaf are highlighted only if the field contains all of them. */
  leaves: (readonly Run[])[]
  starts: string[]
  fuzzy: Extract<TextQueryLeaf, { kind: 'fuzzy' }>[]
}

/** Creates a highlighter for one response. The budget is shared by all its records. */
export function createHighlighter(tree: TextQuery): Highlighter {
  const wanted: HighlightTerms = { leaves: [], starts: [], fuzzy: [] }
  collectTerms(tree, true, wanted)
  const byFirst = Map.groupBy(wanted.leaves.flat(), run => run[0] ?? '')
  const budget = { left: STEPS_MAX }
  const isLike = createTokenTest(wanted, budget)

  return {
    mark(texts) {
      const places = texts.map(text => listPositions(text, budget))
      const found = places.map(list => findRuns(list, byFirst, budget))
      const seen = new Set(found.flat().map(({ run }) => run))
      const shown = new Set(wanted.leaves.filter(runs => runs.every(run => seen.has(run))).flat())
      let free = RANGES_MAX
      return places.map((list, i) => {
        const marked = new Uint8Array(list.length)
        for (const { run, at } of found[i] ?? []) if (shown.has(run)) marked.fill(1, at, at + run.length)
        const ranges = join(list.filter(({ token }, at) => marked[at] === 1 || isLike(token))).slice(0, free)
        free -= ranges.length
        return ranges
      })
    },
  }
}

function collectTerms(tree: TextQuery, positive: boolean, wanted: HighlightTerms): void {
  switch (tree.kind) {
    case 'and':
    case 'or':
      for (const part of tree.parts) collectTerms(part, positive, wanted)
      return
    case 'not':
      collectTerms(tree.part, !positive, wanted)
      return
    case 'all':
    case 'none':
      return
    default:
      if (positive) collectLeaf(tree, wanted)
  }
}

function collectLeaf(leaf: TextQueryLeaf, wanted: HighlightTerms): void {
  switch (leaf.kind) {
    case 'word':
      wanted.leaves.push(leaf.runs)
      return
    case 'phrase':
      wanted.leaves.push(leaf.slop === 0 ? [leaf.tokens] : leaf.tokens.map(token => [token]))
      return
    case 'prefix':
      wanted.starts.push(leaf.start)
      return
    case 'fuzzy':
      if (wanted.fuzzy.length < FUZZY_MAX) wanted.fuzzy.push(leaf)
      else wanted.leaves.push(tokenize(leaf.token).map(token => [token]))
  }
}

interface Budget {
  left: number
}

function listPositions(text: string, budget: Budget): TokenPosition[] {
  budget.left -= text.length
  return budget.left < 0 ? [] : [...iterateTokenPositions(text)]
}

function findRuns(
  places: readonly TokenPosition[],
  byFirst: ReadonlyMap<string, Run[]>,
  budget: Budget,
): { run: Run; at: number }[] {
  const found: { run: Run; at: number }[] = []
  for (const [at, { token }] of places.entries()) {
    for (const run of byFirst.get(token) ?? []) {
      const length = run.findIndex((word, i) => places[at + i]?.token !== word)
      budget.left -= length === -1 ? run.length : length
      if (budget.left < 0) return found
      if (length === -1) found.push({ run, at })
    }
  }
  return found
}

/** Returns a test for tokens that match a prefix or a fuzzy word. Results are cached by token. */
function createTokenTest({ starts, fuzzy }: HighlightTerms, budget: Budget): (token: string) => boolean {
  const known = new Map<string, boolean>()
  if (starts.length + fuzzy.length === 0) return () => false
  const isNear = (token: string) =>
    fuzzy.some(
      leaf => Math.abs(leaf.token.length - token.length) <= 2 * leaf.distance && editDistance(token, leaf.token) <= leaf.distance,
    )
  return token => {
    let isLike = known.get(token)
    if (isLike === undefined) {
      budget.left -= starts.length + fuzzy.length * token.length
      isLike = budget.left >= 0 && (starts.some(start => token.startsWith(start)) || isNear(token))
      known.set(token, isLike)
    }
    return isLike
  }
}

function join(places: readonly TokenPosition[]): HighlightRange[] {
  const ranges: HighlightRange[] = []
  for (const { start, end } of places) {
    const last = ranges.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else ranges.push([start, end])
  }
  return ranges
}
