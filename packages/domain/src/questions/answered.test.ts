import { describe, expect, test } from 'vitest'
import { isAnswered, isPartlyAnswered } from './answered.ts'
import { QUESTION_TYPES, type QuestionSettings } from './registry.ts'

const options = (...values: string[]) => values.map(value => ({ value, text: value, description: null }))
const ranked = (...ranks: (number | null)[]) => ranks.map((rank, i) => ({ value: 'abc'[i], rank }))

const SETTINGS = {
  text: { type: 'text', use_markdown: false },
  rating: { type: 'rating', options: [{ value: 0 }, { value: 1 }] },
  label: { type: 'label_selection', options: options('a', 'b'), visible_options: null },
  labels: { type: 'multi_label_selection', options: options('a', 'b'), visible_options: null, options_order: 'natural' },
  ranking: { type: 'ranking', options: options('a', 'b', 'c') },
  span: {
    ...{ type: 'span', field: 'text', options: options('person'), visible_options: null },
    ...{ allow_overlapping: false, allow_character_annotation: true },
  },
} satisfies Record<string, QuestionSettings>

const NONE = { answered: false, partly: false }
const PARTLY = { answered: false, partly: true }
const ANSWERED = { answered: true, partly: false }

describe('answered', () => {
  test.each<[keyof typeof SETTINGS, unknown, typeof NONE]>([
    ['text', null, NONE],
    ['text', '', NONE],
    ['text', ' \n\t', NONE],
    ['text', ' a ', ANSWERED],
    ['text', 1, NONE],
    ['rating', null, NONE],
    ['rating', 0, ANSWERED],
    ['rating', 2, NONE],
    ['rating', '1', NONE],
    ['label', null, NONE],
    ['label', 'a', ANSWERED],
    ['label', 'gone', NONE],
    ['label', ['a'], NONE],
    ['labels', null, NONE],
    ['labels', [], NONE],
    ['labels', ['gone'], NONE],
    ['labels', ['gone', 'b'], ANSWERED],
    ['labels', 'a', NONE],
    ['ranking', null, NONE],
    ['ranking', [], NONE],
    ['ranking', ranked(1), PARTLY],
    ['ranking', ranked(1, 1, 2), ANSWERED],
    ['ranking', ranked(1, null, 2), PARTLY],
    ['ranking', ranked(null, 4, 0.5), NONE],
    ['ranking', [...ranked(1, 2), { value: 'gone', rank: 3 }], PARTLY],
    ['ranking', ['a', 'b', 'c'], NONE],
    ['span', null, NONE],
    ['span', undefined, NONE],
    ['span', [], ANSWERED],
    ['span', [{ label: 'person', start: 0, end: 2 }], ANSWERED],
    ['span', 'person', NONE],
  ])('%s: %j', (name, value, expected) => {
    const question = { settings: SETTINGS[name] }
    expect({ answered: isAnswered(value, question), partly: isPartlyAnswered(value, question) }).toEqual(expected)
  })

  test('has a rule for each question type', () => {
    expect(Object.values(SETTINGS).map(({ type }) => type)).toEqual(QUESTION_TYPES.map(({ name }) => name))
  })
})
