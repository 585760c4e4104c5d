/**
 * Where the words of a query stand in the texts of a record that it found.
 *
 * Words that must not occur are not marked. Those of a phrase are marked where they stand as the phrase says; when the phrase
 * is loose, wherever they stand. Ranges that touch, as those of a script without spaces, are one.
 */
import { iteratePlaces, type Place } from './places.ts'
import { editDistance } from './text-match.ts'
import type { TextQuery, TextQueryLeaf } from './text-query.ts'
import { tokenize } from './tokens.ts'

/** From the first code point to the one after the last. */
export type HighlightRange = [start: number, end: number]

/** Of one field. */
export const RANGES_MAX = 200
/**
 * What one answer may cost, in characters read and tokens compared: some hundred milliseconds. Texts beyond are shown without
 * marks.
 */
const STEPS_MAX = 4_000_000
/** As engines do: further words that may be misspelt are taken as they are written. */
const FUZZY_MAX = 32

export interface Highlighter {
  /** The ranges in each of a field's texts, sorted and apart. */
  mark(texts: readonly string[]): HighlightRange[][]
}

/** Tokens that stand one after the other; mostly one. */
type Run = readonly string[]

interface Wanted {
  /** Runs of one leaf are marked only where all of them stand in the field. */
  leaves: (readonly Run[])[]
  starts: string[]
  fuzzy: Extract<TextQueryLeaf, { kind: 'fuzzy' }>[]
}

/** One for each answer: what it costs is counted over all its records. */
export function openHighlighter(tree: TextQuery): Highlighter {
  const wanted: Wanted = { leaves: [], starts: [], fuzzy: [] }
  collectWanted(tree, true, wanted)
  const byFirst = Map.groupBy(wanted.leaves.flat(), run => run[0] ?? '')
  const budget = { left: STEPS_MAX }
  const isLike = openLikeness(wanted, budget)

  return {
    mark(texts) {
      const places = texts.map(text => listPlaces(text, budget))
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

function collectWanted(tree: TextQuery, positive: boolean, wanted: Wanted): void {
  switch (tree.kind) {
    case 'and':
    case 'or':
      for (const part of tree.parts) collectWanted(part, positive, wanted)
      return
    case 'not':
      collectWanted(tree.part, !positive, wanted)
      return
    case 'all':
    case 'none':
      return
    default:
      if (positive) collectLeaf(tree, wanted)
  }
}

function collectLeaf(leaf: TextQueryLeaf, wanted: Wanted): void {
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

function listPlaces(text: string, budget: Budget): Place[] {
  budget.left -= text.length
  return budget.left < 0 ? [] : [...iteratePlaces(text)]
}

function findRuns(places: readonly Place[], byFirst: ReadonlyMap<string, Run[]>, budget: Budget): { run: Run; at: number }[] {
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

/** Whether a token begins like a word of the query or is nearly one. Asked once for each token. */
function openLikeness({ starts, fuzzy }: Wanted, budget: Budget): (token: string) => boolean {
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

function join(places: readonly Place[]): HighlightRange[] {
  const ranges: HighlightRange[] = []
  for (const { start, end } of places) {
    const last = ranges.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else ranges.push([start, end])
  }
  return ranges
}
