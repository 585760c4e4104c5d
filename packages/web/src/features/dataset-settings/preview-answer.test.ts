import { expect, test } from 'vitest'
import { fromSuggestion, sample } from '../../questions/multi-label-selection/value.ts'
import { optionsNamed, questionWith } from '../../questions/question-fixtures.ts'
import { previewAnswer } from './preview-answer.ts'

const options = optionsNamed('a', 'b', 'c')
const question = questionWith({ type: 'multi_label_selection', options, visible_options: null, options_order: 'natural' })
const widget = { sample, fromSuggestion }

test.each([
  { mode: 'prefill', tried: [], value: ['b', 'c'], isPencil: true, isSuggested: true },
  { mode: 'show', tried: [], value: null, isPencil: false, isSuggested: true },
  { mode: 'hide', tried: [], value: null, isPencil: false, isSuggested: false },
  { mode: 'hide', tried: [['q', ['a']]], value: ['a'], isPencil: false, isSuggested: true },
  { mode: 'prefill', tried: [['q', ['a']]], value: ['a'], isPencil: false, isSuggested: true },
  // A cleared answer stays empty.
  { mode: 'prefill', tried: [['q', null]], value: null, isPencil: false, isSuggested: true },
] as const)('$mode, tried $tried -> $value', ({ mode, tried, value, isPencil, isSuggested }) => {
  const shown = previewAnswer(question, widget, mode, new Map<string, unknown>(tried))
  expect(shown).toMatchObject({ value, isPencil })
  expect(shown.suggestion !== null).toBe(isSuggested)
})

test('a type without a sample starts empty', () => {
  const shown = previewAnswer(question, { fromSuggestion }, 'prefill', new Map())
  expect(shown).toEqual({ value: null, isPencil: false, suggestion: null })
})
