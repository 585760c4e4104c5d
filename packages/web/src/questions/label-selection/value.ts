import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import { settingsOf } from '../settings-of.ts'

const optionsOf = (question: Question) => settingsOf(question, 'label_selection').options

export const isLabel = (value: unknown, question: Question): value is string =>
  optionsOf(question).some(option => option.value === value)

/** Picking the selected option clears the answer; picking an unconfirmed suggestion confirms it. */
export const afterPick = (value: unknown, isPencil: boolean, picked: string): string | null =>
  value === picked && !isPencil ? null : picked

export const fromSuggestion = ({ value }: Suggestion, question: Question): string | null =>
  isLabel(value, question) ? value : null

export const sample = (question: Question): Pick<Suggestion, 'value' | 'score'> => ({
  value: optionsOf(question)[1]?.value ?? null,
  score: 0.9,
})

export const summarize = (value: unknown, question: Question): string =>
  optionsOf(question).find(option => option.value === value)?.text ?? ''
