import type { HubColumn } from '@postil/domain/hub'
import { expect, test } from 'vitest'
import { planFor, toClientMapping, toHubMapping } from './plan-for.ts'

const column = (name: string, given: Partial<HubColumn> = {}): HubColumn => ({
  name,
  type: 'text',
  dimensions: null,
  empty: 0,
  distinct: null,
  is_class: false,
  suggestion: 'field',
  examples: [],
  ...given,
})

const COLUMNS = [
  column('row_id', { suggestion: 'external_id' }),
  column('body', { type: 'long_text' }),
  column('mood', { suggestion: 'suggestion', is_class: true, distinct: ['neg', 'pos'] }),
  column('size', { type: 'float', suggestion: 'metadata' }),
]

test('columns with classes become questions with their labels, which they suggest', () => {
  const plan = planFor({ columns: COLUMNS }, key => key)
  expect(plan.questions).toHaveLength(1)
  expect(plan.questions[0]?.settings).toMatchObject({ type: 'label_selection', options: [{ value: 'neg' }, { value: 'pos' }] })
  expect(toHubMapping(plan)).toEqual({
    fields: [{ source: 'body', target: 'body' }],
    metadata: [{ source: 'size', target: 'size' }],
    suggestions: [{ source: 'mood', target: 'mood' }],
    external_id: 'row_id',
  })
})

test('a suggestion without a question is left out', () => {
  const plan = planFor({ columns: [column('body'), column('guess', { suggestion: 'suggestion' })] }, key => key)
  expect(toHubMapping(plan)).toMatchObject({ suggestions: [], external_id: null })
})

test('the Python client gets the same mapping', () => {
  const plan = planFor({ columns: COLUMNS }, key => key)
  expect(toClientMapping(toHubMapping(plan))).toEqual({ row_id: 'id', body: 'body', size: 'size', mood: 'mood.suggestion' })
})
