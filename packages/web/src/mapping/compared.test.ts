import type { Question } from '@postil/domain/questions'
import { expect, test } from 'vitest'
import { toLabels, toText } from '../questions/new-settings.ts'
import { comparedIn } from './compared.ts'
import type { ColumnUse, QuestionPlan } from './plan.ts'

const field = (target: string, kind: ColumnUse['kind'] = 'text'): ColumnUse => ({
  column: target,
  role: 'field',
  target,
  title: '',
  kind,
  metadata: 'terms',
  dimensions: 0,
  required: true,
})
const question = (settings: Question['settings']): QuestionPlan => ({
  name: 'preference',
  title: 'Which one is better?',
  description: '',
  required: true,
  settings,
})
const options = (...values: string[]) => values.map(value => ({ value, text: value, description: null }))
const sides = question(toLabels(options('a', 'b', 'tie')))

test.each([
  { fields: ['prompt', 'reply_a', 'reply_b'], compared: ['reply_a', 'reply_b'] },
  { fields: ['chosen', 'rejected', 'source'], compared: ['chosen', 'rejected'] },
  { fields: ['answer1', 'answer2', 'answer3', 'prompt'], compared: ['answer1', 'answer2', 'answer3'] },
  // Without counterparts, the last two are compared.
  { fields: ['prompt', 'human', 'model'], compared: [] },
  { fields: ['prompt'], compared: null },
])('$fields -> $compared', ({ fields, compared }) => {
  expect(comparedIn({ uses: fields.map(name => field(name)), questions: [sides] })).toEqual(compared)
})

test('labels that are names of fields compare them; other questions compare nothing', () => {
  const uses = [field('first'), field('second')]
  expect(comparedIn({ uses, questions: [question(toLabels(options('first', 'second')))] })).toEqual([])
  expect(comparedIn({ uses, questions: [question(toLabels(options('yes', 'no'))), question(toText())] })).toBeNull()
  expect(comparedIn({ uses: [field('first', 'image'), field('second')], questions: [sides] })).toBeNull()
})
