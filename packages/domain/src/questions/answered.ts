/**
 * Whether a value answers its question, for people at a form. The form, its counters, the bulk view and what is sent use this one
 * rule; the API checks more, and also accepts an empty list of spans.
 */
import type { QuestionSettings, QuestionTypeName } from './registry.ts'

/** `partial` prevents submitting even if the question is optional. */
type Completeness = 'none' | 'partial' | 'whole'

type Rule<T extends QuestionTypeName> = (value: unknown, settings: Extract<QuestionSettings, { type: T }>) => Completeness

const ANSWERED: { readonly [T in QuestionTypeName]: Rule<T> } = {
  text: value => wholeIf(typeof value === 'string' && /\S/.test(value)),
  rating: (value, { options }) => wholeIf(isOption(value, options)),
  label_selection: (value, { options }) => wholeIf(isOption(value, options)),
  multi_label_selection: (value, { options }) => wholeIf(Array.isArray(value) && value.some(one => isOption(one, options))),
  ranking(value, { options }) {
    const { size } = ranksOf(value, options)
    return size > 0 && size < options.length ? 'partial' : wholeIf(size > 0)
  },
  // An empty list is an answer, too: somebody looked and found nothing to mark.
  span: value => wholeIf(Array.isArray(value)),
}

const wholeIf = (isWhole: boolean): Completeness => (isWhole ? 'whole' : 'none')

interface Option {
  value: unknown
}

const isOption = (value: unknown, options: readonly Option[]) => options.some(option => option.value === value)

/** Returns the rank of each option, without unknown options and invalid ranks. */
export function ranksOf(value: unknown, options: readonly { value: string }[]): Map<string, number> {
  const known = new Set(options.map(option => option.value))
  const entries = (Array.isArray(value) ? value : []).flatMap((entry: unknown): [string, number][] => {
    if (typeof entry !== 'object' || entry === null || !('value' in entry) || !('rank' in entry)) return []
    const { value, rank } = entry
    const isKnown = typeof value === 'string' && known.has(value)
    return isKnown && typeof rank === 'number' && Number.isInteger(rank) && rank >= 1 && rank <= options.length
      ? [[value, rank]]
      : []
  })
  return new Map(entries)
}

interface Asked {
  settings: QuestionSettings
}

const completenessOf = (value: unknown, { settings }: Asked): Completeness =>
  (ANSWERED[settings.type] as Rule<QuestionTypeName>)(value, settings)

export const isAnswered = (value: unknown, question: Asked): boolean => completenessOf(value, question) === 'whole'
export const isPartlyAnswered = (value: unknown, question: Asked): boolean => completenessOf(value, question) === 'partial'
