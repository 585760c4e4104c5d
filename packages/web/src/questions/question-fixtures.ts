/** Question fixtures for tests. */
import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'

const TIME = '2026-01-01T00:00:00'

export const questionWith = (settings: Question['settings']): Question => ({
  id: 'q',
  name: 'q',
  title: 'Q',
  description: null,
  required: false,
  settings,
  dataset_id: 'd',
  inserted_at: TIME,
  updated_at: TIME,
})

export const optionsNamed = (...values: string[]) =>
  values.map(value => ({ value, text: value.toUpperCase(), description: null }))

export const suggestionOf = (value: Suggestion['value'], score: Suggestion['score'] = null): Suggestion => ({
  id: 's',
  question_id: 'q',
  type: 'model',
  value,
  score,
  agent: null,
  inserted_at: TIME,
  updated_at: TIME,
})
