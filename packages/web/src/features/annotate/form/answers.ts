/** Answers to one record while a user edits them. Pure functions; the page holds the state. */
import type { Question } from '@postil/domain/questions'
import { isAnswered, isPartlyAnswered } from '@postil/domain/questions/answered'
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse, ResponseValues } from '@postil/domain/responses'
import type { Suggestion } from '@postil/domain/suggestions'
import type { SuggestionMode } from '../../../dataset-options.ts'
import { widgetOf } from '../../../questions/registry.ts'
import { suggestionFor } from './suggestion-for.ts'

export interface Answer {
  value: unknown
  /** True if the value comes from a suggestion and the user has not touched it. */
  isPencil: boolean
}

/** Answers by question name; unanswered questions are absent. */
export type Answers = Readonly<Record<string, Answer>>

/** Returns the initial answers: the user's response, or for a pending record the suggestions, if the dataset prefills them. */
export function startAnswers(
  record: DatasetRecord,
  response: RecordResponse | null,
  questions: readonly Question[],
  mode: SuggestionMode,
): Answers {
  const started = questions.flatMap(question => {
    const answer = response ? storedAnswer(response, question) : mode === 'prefill' ? suggestedAnswer(record, question) : null
    return answer ? [[question.name, answer] as const] : []
  })
  return Object.fromEntries(started)
}

function storedAnswer({ values }: RecordResponse, { name }: Question): Answer | null {
  return Object.hasOwn(values, name) && values[name] ? { value: values[name].value, isPencil: false } : null
}

export function suggestedAnswer(record: DatasetRecord, question: Question): Answer | null {
  const suggestion = suggestionFor(record, question)
  const value = suggestion && widgetOf(question).fromSuggestion(suggestion, question)
  return value === null ? null : { value, isPencil: true }
}

export const withAnswer = (answers: Answers, name: string, value: unknown): Answers => {
  const { [name]: _, ...others } = answers
  return value === null ? others : { ...others, [name]: { value, isPencil: false } }
}

/** False if the question already has this answer, confirmed by the user. */
export function isChange(answers: Answers, question: Question, value: unknown): boolean {
  const before = answers[question.name]
  if (before === undefined || value === null) return (before === undefined) !== (value === null)
  return before.isPencil || !widgetOf(question).areEqual(before.value, value)
}

export const toValues = (answers: Answers): ResponseValues =>
  Object.fromEntries(Object.entries(answers).map(([name, { value }]) => [name, { value }])) as ResponseValues

export interface Gap {
  question: Question
  kind: 'missing' | 'partial'
}

/** Returns the gaps that prevent submitting, in the order of the form. */
export function findGaps(questions: readonly Question[], answers: Answers): Gap[] {
  return questions.flatMap((question): Gap[] => {
    const value = answers[question.name]?.value ?? null
    if (isPartlyAnswered(value, question)) return [{ question, kind: 'partial' }]
    return question.required && !isAnswered(value, question) ? [{ question, kind: 'missing' }] : []
  })
}

/** Compares the values of all questions. Whether they come from a suggestion is ignored. */
export function areSame(a: Answers, b: Answers, questions: readonly Question[]): boolean {
  return questions.every(question =>
    widgetOf(question).areEqual(a[question.name]?.value ?? null, b[question.name]?.value ?? null),
  )
}

/** In `hide` mode, a suggestion is visible only after the user has answered the question. */
export const visibleSuggestion = (
  record: DatasetRecord,
  question: Question,
  answers: Answers,
  mode: SuggestionMode,
): Suggestion | null => (mode === 'hide' && !answers[question.name] ? null : suggestionFor(record, question))
