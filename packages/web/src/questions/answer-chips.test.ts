import type { Question } from '@postil/domain/questions'
import type { Suggestion } from '@postil/domain/suggestions'
import { describe, expect, test } from 'vitest'
import { answerChips, suggestionChips } from './answer-chips.ts'
import { optionsNamed, questionWith, suggestionOf } from './question-fixtures.ts'

const label = questionWith({ type: 'label_selection', options: optionsNamed('a', 'b'), visible_options: null })
const multi = questionWith({
  type: 'multi_label_selection',
  options: optionsNamed('a', 'b', 'c'),
  visible_options: null,
  options_order: 'natural',
})
const rating = questionWith({ type: 'rating', options: [{ value: 1 }, { value: 2 }] })
const ranking = questionWith({ type: 'ranking', options: optionsNamed('a', 'b') })
const text = questionWith({ type: 'text', use_markdown: false })

describe('a suggestion on chips', () => {
  test.each<[string, Question, Suggestion['value'], Suggestion['score'], [string, number | null, boolean][]]>([
    ['a label', label, 'a', 0.97, [['A', 0.97, true]]],
    ['a score of 0', label, 'a', 0, [['A', 0, true]]],
    ['no label of the question', label, 'x', 0.97, []],
    [
      'labels, each with its own score',
      multi,
      ['c', 'a'],
      [0.9, 0.4],
      [
        ['A', 0.4, false],
        ['C', 0.9, false],
      ],
    ],
    ['labels without scores', multi, ['a'], null, [['A', null, false]]],
    ['a rating', rating, 2, null, [['2', null, true]]],
    [
      'a ranking with its smallest score',
      ranking,
      [
        { value: 'b', rank: 1 },
        { value: 'a', rank: 2 },
      ],
      [0.8, 0.6],
      [['B > A', 0.6, false]],
    ],
    ['a text, without its lines', text, ' one\n two ', 0.5, [['one two', 0.5, false]]],
    ['an empty text', text, ' ', 0.5, []],
  ])('%s', (_, question, value, score, chips) => {
    const drawn = suggestionChips(suggestionOf(value, score), question)
    expect(drawn.map(chip => [chip.text, chip.score, chip.isOne])).toEqual(chips)
  })
})

test('an answer has no score', () => {
  expect(answerChips(['a', 'b'], multi)).toEqual([
    { text: 'A', score: null, isOne: false },
    { text: 'B', score: null, isOne: false },
  ])
})
