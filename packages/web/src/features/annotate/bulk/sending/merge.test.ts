import type { Question } from '@postil/domain/questions'
import { describe, expect, test } from 'vitest'
import { questionWith } from '../../../../questions/question-fixtures.ts'
import type { Answers } from '../../form/answers.ts'
import { bulkGaps, mergeAnswers, type Rules, sharedOnly } from './merge.ts'

const named = (name: string, required: boolean): Question => ({
  ...questionWith({ type: 'text', use_markdown: false }),
  name,
  required,
})
const QUESTIONS = [named('spans', true), named('label', true), named('note', false)]

const rules: Rules = ({ name }) => ({
  isPerRecord: name === 'spans',
  isAnswered: value => value !== null && value !== 'half',
  isPartial: value => value === 'half',
})
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
  ])('%s', (_, stored, marked, form, expected) => {
    const merged = mergeAnswers({ stored: answers(stored), marked: answers(marked) }, answers(form), QUESTIONS, rules)
    expect(merged).toEqual(answers(expected))
  })

  test('names of inherited properties are not answers', () => {
    expect(sharedOnly({}, [named('constructor', false)], rules)).toEqual({})
  })
})

describe('gaps', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>[] | null, boolean, string[]]>([
    ['a required answer', {}, [{}], false, ['missing']],
    ['nothing, when it is given', { label: 'a' }, [{}], false, []],
    ['nothing, when all have it', {}, [{ label: 'a' }, { label: 'b' }], true, []],
    ['one that lacks it', {}, [{ label: 'a' }, {}], true, ['missing']],
    ['an answer that nobody can have', {}, null, false, ['missing']],
    ['nothing, when the server will look', {}, null, true, []],
    ['half an answer, though it is optional', { label: 'a', note: 'half' }, null, true, ['partial']],
  ])('%s', (_, form, stored, canHaveAnswers, kinds) => {
    const gaps = bulkGaps(QUESTIONS, answers(form), stored?.map(answers) ?? null, { rules, canHaveAnswers })
    expect(gaps.map(({ kind }) => kind)).toEqual(kinds)
  })
})
