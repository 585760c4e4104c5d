import type { Question } from '@postil/domain/questions'
import { describe, expect, test } from 'vitest'
import { optionsNamed, questionWith } from '../../../../questions/question-fixtures.ts'
import type { Answers } from '../../form/answers.ts'
import { bulkGaps, mergeAnswers, type Rules, sharedOnly } from './merge.ts'

const named = (name: string, required: boolean, settings: Question['settings'] = { type: 'text', use_markdown: false }) => ({
  ...questionWith(settings),
  name,
  required,
})
const QUESTIONS = [
  named('spans', true, {
    ...{ type: 'span', field: 'text', options: optionsNamed('a'), visible_options: null },
    ...{ allow_overlapping: false, allow_character_annotation: true },
  }),
  named('label', true),
  named('note', false),
  named('order', false, { type: 'ranking', options: optionsNamed('a', 'b') }),
]
const HALF = [{ value: 'a', rank: 1 }]

const rules: Rules = ({ name }) => ({ isPerRecord: name === 'spans' })
const answers = (values: Record<string, unknown>): Answers =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, isPencil: false }]))

describe('answers of a record', () => {
  type Values = Record<string, unknown>
  test.each<[string, Values, Values, Values, Values]>([
    ['the form', {}, {}, { label: 'a' }, { label: 'a' }],
    ['its own marks, and nothing else of its own form', {}, { spans: [1], label: 'b' }, { note: 'x' }, { spans: [1], note: 'x' }],
    ['what it had, where the form says nothing', { note: 'mine' }, {}, { label: 'a' }, { note: 'mine', label: 'a' }],
    ['the form instead of what it had', { label: 'b' }, {}, { label: 'a' }, { label: 'a' }],
    ['new marks instead of old ones', { spans: [1] }, { spans: [2] }, {}, { spans: [2] }],
    ['no marks of another record', {}, {}, { spans: [1] }, {}],
    ['that there is nothing to mark, where nothing is marked', {}, {}, { spans: [] }, { spans: [] }],
    ['its own marks, though the form says that there are none', {}, { spans: [1] }, { spans: [] }, { spans: [1] }],
    ['the marks that it had, though the form says that there are none', { spans: [1] }, {}, { spans: [] }, { spans: [1] }],
  ])('%s', (_, stored, marked, form, expected) => {
    const merged = mergeAnswers({ stored: answers(stored), marked: answers(marked) }, answers(form), QUESTIONS, rules)
    expect(merged).toEqual(answers(expected))
  })

  test('names of inherited properties are not answers', () => {
    expect(sharedOnly({}, [named('constructor', false)], rules)).toEqual({})
  })
})

describe('gaps', () => {
  const marked = { spans: [1] }
  test.each<[string, Record<string, unknown>, Record<string, unknown>[] | null, boolean, string[]]>([
    ['a required answer', {}, [marked], false, ['label missing']],
    ['nothing, when it is given', { label: 'a' }, [marked], false, []],
    [
      'nothing, when all have it',
      {},
      [
        { label: 'a', ...marked },
        { label: 'b', ...marked },
      ],
      true,
      [],
    ],
    ['one that lacks it', {}, [{ label: 'a', ...marked }, marked], true, ['label missing']],
    ['an answer that nobody can have', {}, null, false, ['spans missing', 'label missing']],
    ['nothing, when the server will look', {}, null, true, []],
    ['half an answer, though it is optional', { label: 'a', order: HALF }, null, true, ['order partial']],
    ['a record where nobody has looked for something to mark', { label: 'a' }, [marked, {}], false, ['spans missing']],
    ['nothing, when there is nothing to mark', { label: 'a', spans: [] }, [marked, {}], false, []],
  ])('%s', (_, form, stored, canHaveAnswers, kinds) => {
    const records = stored?.map(values => ({ stored: answers(values), marked: {} })) ?? null
    const gaps = bulkGaps(QUESTIONS, answers(form), records, { rules, canHaveAnswers })
    expect(gaps.map(({ question, kind }) => `${question.name} ${kind}`)).toEqual(kinds)
  })

  test('marks that are not sent yet count', () => {
    const records = [{ stored: {}, marked: answers(marked) }]
    expect(bulkGaps(QUESTIONS, answers({ label: 'a' }), records, { rules, canHaveAnswers: false })).toEqual([])
  })
})
