import type { Question } from '@postil/domain/questions'
import { isAnswered } from '@postil/domain/questions/answered'
import type { Suggestion } from '@postil/domain/suggestions'
import { settingsOf } from '../settings-of.ts'

const optionsOf = (question: Question) => settingsOf(question, 'label_selection').options

/** Picking the selected option clears the answer; picking an unconfirmed suggestion confirms it. */
export const afterPick = (value: unknown, isPencil: boolean, picked: string): string | null =>
  value === picked && !isPencil ? null : picked

export const fromSuggestion = ({ value }: Suggestion, question: Question): string | null =>
  typeof value === 'string' && isAnswered(value, question) ? value : null

export const sample = (question: Question): Pick<Suggestion, 'value' | 'score'> => ({
  value: optionsOf(question)[1]?.value ?? null,
  score: 0.9,
})

export const summarize = (value: unknown, question: Question): string =>
  optionsOf(question).find(option => option.value === value)?.text ?? ''
