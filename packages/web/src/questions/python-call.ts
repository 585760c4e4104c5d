/**
 * Constructor calls of the Python SDK for each question type: the class, and its arguments other than name, title, description
 * and required.
 */
import type { Question } from '@postil/domain/questions'
import type { QuestionTypeName } from '@postil/domain/questions/registry'

export interface PythonCall {
  name: string
  given: [key: string, value: unknown][]
}

type Calls = { [T in QuestionTypeName]: (settings: Extract<Question['settings'], { type: T }>) => PythonCall }

const textsOf = (options: readonly { value: string; text: string }[]) =>
  Object.fromEntries(options.map(({ value, text }) => [value, text]))

const CALLS: Calls = {
  text: ({ use_markdown }) => ({ name: 'TextQuestion', given: [['use_markdown', use_markdown]] }),
  rating: ({ options }) => ({ name: 'RatingQuestion', given: [['values', options.map(({ value }) => value)]] }),
  label_selection: ({ options }) => ({ name: 'LabelQuestion', given: [['labels', textsOf(options)]] }),
  multi_label_selection: ({ options }) => ({ name: 'MultiLabelQuestion', given: [['labels', textsOf(options)]] }),
  ranking: ({ options }) => ({ name: 'RankingQuestion', given: [['values', textsOf(options)]] }),
  span: ({ field, options, allow_overlapping }) => ({
    name: 'SpanQuestion',
    given: [
      ['field', field],
      ['labels', textsOf(options)],
      ['allow_overlapping', allow_overlapping],
    ],
  }),
}

/** The table has an entry for each type, but TypeScript cannot relate a type to its settings. */
export const pythonCallOf = (settings: Question['settings']): PythonCall =>
  (CALLS[settings.type] as (settings: Question['settings']) => PythonCall)(settings)
