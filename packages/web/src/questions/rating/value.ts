import type { Question } from '@postil/domain/questions'
import { isAnswered } from '@postil/domain/questions/answered'
import type { Suggestion } from '@postil/domain/suggestions'
import { settingsOf } from '../settings-of.ts'

/** In the order of the settings. */
export const valuesOf = (question: Question) => settingsOf(question, 'rating').options.map(({ value }) => value)

const isRating = (value: unknown, question: Question): value is number => typeof value === 'number' && isAnswered(value, question)

/** Picking the selected value clears the answer; picking an unconfirmed suggestion confirms it. */
export const afterPick = (value: unknown, isPencil: boolean, picked: number): number | null =>
  value === picked && !isPencil ? null : picked

export const fromSuggestion = ({ value }: Suggestion, question: Question): number | null =>
  isRating(value, question) ? value : null

export const summarize = (value: unknown, question: Question): string => (isRating(value, question) ? String(value) : '')
