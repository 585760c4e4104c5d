/** Suggestions by score: how many records there are from a threshold on, and which. */
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { Suggestion } from '@postil/domain/suggestions'
import { suggestionFor } from '../suggestion-for.ts'

export interface Bar {
  from: number
  to: number
  count: number
}

export interface Scores {
  /** Records with a suggestion, with a score or without. */
  suggested: number
  /** Of the scores, from 0 to 1. */
  bars: readonly Bar[]
}

/** Thresholds lie on the borders of the bars, so that a bar counts as a whole. */
export const BARS = 20
export const STEP = 1 / BARS

/** A threshold of 0 takes every suggestion, also those without a score. */
export const toMinScore = (threshold: number): number | null => (threshold === 0 ? null : threshold)

/** Of a list of scores the smallest counts. */
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

/** Counted here, of records that are at hand. */
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

/** 0.9 is no exact number, and neither is eighteen times a twentieth. */
export const isAbove = (from: number, threshold: number) => from > threshold - STEP / 2

export const hasScores = ({ bars }: Scores) => bars.some(({ count }) => count > 0)

/** Questions that something is suggested for among these records, the most suggested first. */
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
