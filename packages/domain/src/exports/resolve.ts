/**
 * Resolves the submitted answers of several people to one answer, by majority.
 *
 * The result never depends on chance or on the order of responses: if no answer has a majority, `tied` lists those with the same
 * number of votes. People who left a question out do not vote on it.
 */
import type { ColumnType } from '../columns.ts'
import type { Json } from '../schema.ts'

export interface ResolvedAnswer {
  /** Null if there is no answer, or if there is a tie between whole answers. */
  value: Json
  /** Answers or parts with the same number of votes; null if there is no tie. */
  tied: Json[] | null
}

/** How a question type resolves answers. */
export interface Resolution {
  /** Column type of `tied`. */
  tied: ColumnType
  of(answers: readonly Json[]): ResolvedAnswer
}

const NOTHING: ResolvedAnswer = { value: null, tied: null }

/** Counts how many people gave each answer, in order of first appearance. */
function countVotes<T>(given: Iterable<T>, keyOf: (answer: T) => string): { answer: T; votes: number }[] {
  const counts = new Map<string, { answer: T; votes: number }>()
  for (const answer of given) {
    const known = counts.get(keyOf(answer))
    if (known) known.votes++
    else counts.set(keyOf(answer), { answer, votes: 1 })
  }
  return [...counts.values()]
}

/** Returns the most frequent answer: for labels, ratings and texts. */
export function resolveWhole(answers: readonly Json[], keyOf: (answer: Json) => string = JSON.stringify): ResolvedAnswer {
  const counted = countVotes(answers, keyOf)
  const most = counted.reduce((max, { votes }) => Math.max(max, votes), 0)
  const first = counted.filter(({ votes }) => votes === most).map(({ answer }) => answer)
  if (first.length === 0) return NOTHING
  return first.length === 1 ? { value: first[0] as Json, tied: null } : { value: null, tied: first }
}

/** Treats texts as the same answer if they differ only in white space or Unicode normalization. */
export const resolveTexts = (answers: readonly Json[]): ResolvedAnswer =>
  resolveWhole(answers, answer => String(answer).normalize('NFC').replace(/\s+/gu, ' ').trim())

/**
 * Returns each part that more than half of the people gave: for multiple labels and for spans. Parts that exactly half of them
 * gave are tied, and not part of the answer.
 */
export function resolveParts(
  answers: readonly Json[],
  keyOf: (part: Json) => string,
  compare: (a: Json, b: Json) => number = () => 0,
): ResolvedAnswer {
  if (answers.length === 0) return NOTHING
  // A part that occurs twice in an answer is one vote.
  const parts = answers.flatMap(answer => distinct(Array.isArray(answer) ? answer : [answer], keyOf))
  const counted = countVotes(parts, keyOf)
  const having = (isWanted: (votes: number) => boolean) =>
    counted
      .filter(({ votes }) => isWanted(votes * 2))
      .map(({ answer }) => answer)
      .sort(compare)
  const tied = having(doubled => doubled === answers.length)
  return { value: having(doubled => doubled > answers.length), tied: tied.length === 0 ? null : tied }
}

const distinct = (parts: readonly Json[], keyOf: (part: Json) => string): Json[] => [
  ...new Map(parts.map(part => [keyOf(part), part])).values(),
]

interface Ranked {
  value: string
  rank: number
}

const isRanked = (entry: Json): entry is Json & Ranked =>
  typeof entry === 'object' &&
  entry !== null &&
  !Array.isArray(entry) &&
  typeof entry.value === 'string' &&
  typeof entry.rank === 'number'

/** Orders options by their mean rank. Options with the same mean share a rank and are tied. */
export function resolveRankings(answers: readonly Json[]): ResolvedAnswer {
  const ranks = new Map<string, number[]>()
  for (const { value, rank } of answers.flatMap(answer => (Array.isArray(answer) ? answer.filter(isRanked) : []))) {
    ranks.set(value, [...(ranks.get(value) ?? []), rank])
  }
  if (ranks.size === 0) return NOTHING
  const means = Array.from(ranks, ([value, all]) => ({ value, sum: all.reduce((sum, rank) => sum + rank, 0), count: all.length }))
  // Cross-multiplication instead of division, because fractions such as 4/3 would differ in their last digit.
  const order = (a: (typeof means)[number], b: (typeof means)[number]) => a.sum * b.count - b.sum * a.count
  const sorted = means.toSorted(order)
  const isTied = (one: (typeof means)[number]) => sorted.filter(other => order(one, other) === 0).length > 1
  const tied = sorted.filter(isTied).map(({ value }) => value)
  // A single answer is returned unchanged and is not a tie, even if it gives several options the same rank.
  const isAlone = answers.length === 1
  return {
    value: sorted.map(one => ({ value: one.value, rank: 1 + sorted.filter(other => order(other, one) < 0).length })),
    tied: tied.length === 0 || isAlone ? null : tied,
  }
}
