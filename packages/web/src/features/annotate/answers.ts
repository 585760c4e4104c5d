/** The answers to one record while a person works on them: pure functions, the page keeps the state. */
import type { Question } from '@postil/domain/questions'
import type { DatasetRecord } from '@postil/domain/records'
import type { RecordResponse, ResponseValues } from '@postil/domain/responses'
import type { Suggestion } from '@postil/domain/suggestions'
import type { SuggestionMode } from '../../dataset-options.ts'
import { widgetOf } from '../../questions/registry.ts'
import { suggestionFor } from './suggestion-for.ts'

export interface Answer {
  value: unknown
  /** Filled in from a suggestion, and not yet touched by a person. */
  isPencil: boolean
}

/** By question name; a question without an answer is not in it. */
export type Answers = Readonly<Record<string, Answer>>

/** What the form starts with: my response, or for a pending record the suggestions, where the dataset wants that. */
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

/** Required questions that were left open, where that is an answer of its own. */
export function withBlanks(answers: Answers, questions: readonly Question[]): Answers {
  const open = questions.filter(({ name, required }) => required && !Object.hasOwn(answers, name))
  const blanks = open.flatMap(question => {
    const { blank } = widgetOf(question)
    return blank === undefined ? [] : [[question.name, { value: blank, isPencil: false }] as const]
  })
  return { ...answers, ...Object.fromEntries(blanks) }
}

export const toValues = (answers: Answers): ResponseValues =>
  Object.fromEntries(Object.entries(answers).map(([name, { value }]) => [name, { value }])) as ResponseValues

export interface Gap {
  question: Question
  kind: 'missing' | 'partial'
}

/** What stands in the way of a submit, in the order of the form. */
export function findGaps(questions: readonly Question[], answers: Answers): Gap[] {
  return questions.flatMap((question): Gap[] => {
    const widget = widgetOf(question)
    const value = answers[question.name]?.value ?? null
    if (widget.isPartial(value, question)) return [{ question, kind: 'partial' }]
    return question.required && !widget.isAnswered(value, question) ? [{ question, kind: 'missing' }] : []
  })
}

/** Same answers to the same questions; pencil or ink makes no difference. */
export function areSame(a: Answers, b: Answers, questions: readonly Question[]): boolean {
  return questions.every(question =>
    widgetOf(question).areEqual(a[question.name]?.value ?? null, b[question.name]?.value ?? null),
  )
}

/** In a hidden mode suggestions appear once the person has answered. */
export const visibleSuggestion = (
  record: DatasetRecord,
  question: Question,
  answers: Answers,
  mode: SuggestionMode,
): Suggestion | null => (mode === 'hide' && !answers[question.name] ? null : suggestionFor(record, question))
