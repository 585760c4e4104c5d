/** Short forms of answers and suggestions for chips in lists of records. */
import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'
import type { Suggestion } from '@postil/domain/suggestions'
import { summarize as summarizeLabel } from './label-selection/value.ts'
import { labelsOf } from './multi-label-selection/value.ts'
import { entryValue, optionsOf, suggestedRanks, summarize as summarizeRanks, toValue } from './ranking/ranks.ts'
import { summarize as summarizeRating } from './rating/value.ts'
import { settingsOf } from './settings-of.ts'
import { type Suggested, suggestedBy } from './suggested.ts'
import { textOf } from './text/value.ts'

export interface AnswerChip {
  text: string
  score: number | null
  /** True for a single choice (round chip), false for multiple choices (square chip). */
  isOne: boolean
}

const TEXT_MAX = 80

/** Returns the smallest score: an answer is only as certain as its least certain part. */
function smallest(scores: Suggested): number | null {
  const given = [...scores.values()].filter(score => score !== null)
  return given.length === 0 ? null : Math.min(...given)
}

const single = (text: string, scores: Suggested, isOne: boolean): AnswerChip[] =>
  text === '' ? [] : [{ text, score: smallest(scores), isOne }]

type ToChips = (value: unknown, question: Question, scores: Suggested) => AnswerChip[]

/** One entry per question type. */
const CHIPS: Readonly<Record<QuestionTypeName, ToChips>> = {
  label_selection: (value, question, scores) => single(summarizeLabel(value, question), scores, true),
  multi_label_selection: (value, question, scores) => {
    const { options } = settingsOf(question, 'multi_label_selection')
    const texts = new Map(options.map(option => [option.value, option.text]))
    return labelsOf(value, question).map(label => ({
      text: texts.get(label) ?? label,
      score: scores.get(label) ?? null,
      isOne: false,
    }))
  },
  rating: (value, question, scores) => single(summarizeRating(value, question), scores, true),
  ranking: (value, question, scores) => {
    const ranked = toValue(suggestedRanks({ value: value as Suggestion['value'] }, question), optionsOf(question))
    return single(summarizeRanks(ranked, question), scores, false)
  },
  text: (value, _, scores) => single(textOf(value).slice(0, TEXT_MAX).replaceAll(/\s+/g, ' ').trim(), scores, false),
  // Spans are shown in the text itself.
  span: () => [],
}

export const answerChips = (value: unknown, question: Question): AnswerChip[] =>
  CHIPS[question.settings.type](value, question, new Map())

export const suggestionChips = (suggestion: Suggestion, question: Question): AnswerChip[] =>
  CHIPS[question.settings.type](suggestion.value, question, suggestedBy(suggestion, entryValue))
