/** Histogram of suggestion scores: how many and which records reach a threshold. */
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import { suggestionFor } from '../../form/suggestion-for.ts'

export interface Bar {
  from: number
  to: number
  count: number
}

export interface Scores {
  /** Number of records with a suggestion, with or without a score. */
  suggested: number
  /** Bars from 0 to 1. */
  bars: readonly Bar[]
}

/** Number of bars. Thresholds are on the borders between bars, so that each bar counts as a whole. */
export const BARS = 20
export const STEP = 1 / BARS

/** A threshold of 0 accepts every suggestion, including those without a score. */
export const toMinScore = (threshold: number): number | null => (threshold === 0 ? null : threshold)

/** Returns the smallest score if there are several. */
export function smallestScore({ score }: Pick<Suggestion, 'score'>): number | null {
  if (score === null || typeof score === 'number') return score
  return score.length === 0 ? null : Math.min(...score)
}

export function isGoodEnough(record: Pick<DatasetRecord, 'suggestions'>, question: Question, minScore: number | null): boolean {
  const suggestion = suggestionFor(record, question)
  if (suggestion === null || minScore === null) return suggestion !== null
  const score = smallestScore(suggestion)
  return score !== null && score >= minScore
}

/** Counts the scores of loaded records. */
export function scoresOf(records: readonly Pick<DatasetRecord, 'suggestions'>[], question: Question): Scores {
  const suggestions = records.flatMap(record => suggestionFor(record, question) ?? [])
  const counts = new Array<number>(BARS).fill(0)
  for (const suggestion of suggestions) {
    const score = smallestScore(suggestion)
    if (score === null) continue
    const at = Math.min(BARS - 1, Math.floor(score * BARS))
    counts[at] = (counts[at] ?? 0) + 1
  }
  return { suggested: suggestions.length, bars: counts.map((count, i) => ({ from: i / BARS, to: (i + 1) / BARS, count })) }
}

export function countFrom({ suggested, bars }: Scores, threshold: number): number {
  if (threshold === 0) return suggested
  const counted = bars.filter(({ from }) => isAbove(from, threshold)).reduce((sum, { count }) => sum + count, 0)
  // A record with several scores is in several bars.
  return Math.min(suggested, counted)
}

/** Compares with a tolerance, because 0.9 and 18 × 1/20 are not exact in floating point. */
export const isAbove = (from: number, threshold: number) => from > threshold - STEP / 2

export const hasScores = ({ bars }: Scores) => bars.some(({ count }) => count > 0)

/** Returns the questions that have suggestions in these records, most suggestions first. */
export function suggestedQuestions(
  questions: readonly Question[],
  records: readonly Pick<DatasetRecord, 'suggestions'>[],
): Question[] {
  const counted = questions.map(question => ({
    question,
    count: records.filter(record => suggestionFor(record, question) !== null).length,
  }))
  return counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ question }) => question)
}
