/** Questions of each type for the browser tests; labels are in seed.ts. */
import type { QuestionCreate } from '@postil/domain/questions'

const toOptions = (values: string[]) => values.map(value => ({ value, text: value, description: null }))

export const multiLabel = (name: string, values: string[], visible_options: number | null = null): QuestionCreate => ({
  name,
  title: `Which ${name}`,
  required: true,
  settings: { type: 'multi_label_selection', options: toOptions(values), visible_options, options_order: 'natural' },
})
export const rating = (name: string, values: number[]): QuestionCreate => ({
  name,
  title: `Rate ${name}`,
  required: true,
  settings: { type: 'rating', options: values.map(value => ({ value })) },
})
export const ranking = (name: string, values: string[]): QuestionCreate => ({
  name,
  title: `Rank ${name}`,
  required: true,
  settings: { type: 'ranking', options: toOptions(values) },
})
export const text = (name: string, required = true): QuestionCreate => ({
  name,
  title: `Write ${name}`,
  required,
  settings: { type: 'text', use_markdown: false },
})
export const span = (
  name: string,
  values: string[],
  extra: { field?: string; allow_overlapping?: boolean } = {},
): QuestionCreate => ({
  name,
  title: `Mark ${name}`,
  required: true,
  settings: {
    type: 'span',
    field: 'text',
    options: toOptions(values),
    visible_options: null,
    allow_overlapping: false,
    ...extra,
  },
})
