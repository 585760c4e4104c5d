import { expect, test } from 'vitest'
import { accepts } from '../testing.ts'
import { QUESTION_TYPES, QuestionSettings, questionTypeOf } from './registry.ts'

test('every question type is found by the type of its settings', () => {
  for (const type of QUESTION_TYPES) expect(questionTypeOf({ type: type.name })).toBe(type)
  expect(() => questionTypeOf({ type: 'constructor' })).toThrow()
})

test('stored settings of every type fit the union', () => {
  const option = { value: 'a', text: 'A', description: null }
  const stored = [
    { type: 'text', use_markdown: true },
    { type: 'rating', options: [{ value: 1 }] },
    { type: 'label_selection', options: [option], visible_options: null },
    { type: 'multi_label_selection', options: [option], visible_options: 3, options_order: 'natural' },
    { type: 'ranking', options: [option] },
    {
      type: 'span',
      field: 'text',
      options: [option],
      visible_options: null,
      allow_overlapping: false,
      allow_character_annotation: true,
    },
  ]
  expect(stored.map(settings => settings.type)).toEqual(QUESTION_TYPES.map(type => type.name))
  for (const settings of stored) expect(accepts(QuestionSettings, settings)).toBe(true)
})
