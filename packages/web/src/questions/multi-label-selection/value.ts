import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import { list } from '../../i18n/i18n.ts'
import { settingsOf } from '../settings-of.ts'

const optionsOf = (question: Question) => settingsOf(question, 'multi_label_selection').options

/** Returns the valid options of a value, in the order of the settings. */
export function labelsOf(value: unknown, question: Question): string[] {
  const given = new Set<unknown>(Array.isArray(value) ? value : [])
  return optionsOf(question).flatMap(option => (given.has(option.value) ? [option.value] : []))
}

/** An empty selection is stored as no answer, because the server does not accept an empty list. */
const orNull = (labels: string[]) => (labels.length > 0 ? labels : null)

export function afterPick(value: unknown, picked: string, question: Question): string[] | null {
  const labels = labelsOf(value, question)
  return orNull(labelsOf(labels.includes(picked) ? labels.filter(label => label !== picked) : [...labels, picked], question))
}

export const fromSuggestion = ({ value }: Suggestion, question: Question) => orNull(labelsOf(value, question))

/** The last two options with the best score last, so that the preview shows whether suggestions are sorted first. */
export function sample(question: Question): Pick<Suggestion, 'value' | 'score'> {
  const labels = optionsOf(question).slice(-2)
  return { value: labels.map(({ value }) => value), score: labels.map((_, at) => (at === labels.length - 1 ? 0.9 : 0.6)) }
}

const asSet = (value: unknown) => new Set<unknown>(Array.isArray(value) ? value : [])

/** Ignores order. */
export function areEqual(a: unknown, b: unknown): boolean {
  const [one, other] = [asSet(a), asSet(b)]
  return one.size === other.size && [...one].every(label => other.has(label))
}

export function summarize(value: unknown, question: Question): string {
  const labels = new Set(labelsOf(value, question))
  return list(optionsOf(question).flatMap(option => (labels.has(option.value) ? [option.text] : [])))
}
