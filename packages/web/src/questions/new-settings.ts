/** Settings of new questions that are not stored yet. */
import type { Question } from '@postil/domain/questions'
import type { QuestionOption } from '@postil/domain/questions/options'
import type { QuestionTypeName } from '@postil/domain/questions/registry'

type Settings<T extends QuestionTypeName> = Extract<Question['settings'], { type: T }>

/** The server's default. */
const VISIBLE_DEFAULT = 20
const visibleOf = (options: readonly QuestionOption[]) => (options.length > VISIBLE_DEFAULT ? VISIBLE_DEFAULT : null)

export const toText = (): Settings<'text'> => ({ type: 'text', use_markdown: false })

export const toLabels = (options: QuestionOption[]): Settings<'label_selection'> => ({
  type: 'label_selection',
  options,
  visible_options: visibleOf(options),
})

export const toManyLabels = (options: QuestionOption[]): Settings<'multi_label_selection'> => ({
  type: 'multi_label_selection',
  options,
  visible_options: visibleOf(options),
  options_order: 'natural',
})

/** Values are all integers from `from` to `to`, inclusive. */
export const toRating = (from: number, to: number): Settings<'rating'> => ({
  type: 'rating',
  options: Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => ({ value: from + at })),
})

export const toSpans = (field: string, options: QuestionOption[]): Settings<'span'> => ({
  type: 'span',
  field,
  options,
  visible_options: null,
  allow_overlapping: false,
  allow_character_annotation: true,
})

/** Settings of a new question of each type, given some labels and the text field it refers to. */
export const NEW_SETTINGS: Readonly<
  Record<QuestionTypeName, (options: QuestionOption[], field: string) => Question['settings']>
> = {
  text: toText,
  rating: () => toRating(1, 5),
  label_selection: toLabels,
  multi_label_selection: toManyLabels,
  ranking: options => ({ type: 'ranking', options }),
  span: (options, field) => toSpans(field, options),
}

/** Minimum number of options that the server accepts. */
export const OPTIONS_MIN: Readonly<Record<QuestionTypeName, number>> = {
  text: 0,
  rating: 2,
  label_selection: 2,
  multi_label_selection: 2,
  ranking: 2,
  span: 1,
}

export const countOptions = (settings: Question['settings']) => ('options' in settings ? settings.options.length : 0)

/** Returns the field in which spans are marked; null for other question types. */
export const markedFieldOf = (settings: Question['settings']): string | null => (settings.type === 'span' ? settings.field : null)
