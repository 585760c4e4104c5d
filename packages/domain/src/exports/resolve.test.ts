import { describe, expect, test } from 'vitest'
import { questionTypeOf } from '../questions/registry.ts'
import type { Json } from '../schema.ts'

interface Case {
  type: string
  given: string
  answers: Json[]
  value: Json
  tied: Json[] | null
}

const at = (start: number, end: number, label = 'PER') => ({ label, start, end })
const ranks = (...order: [value: string, rank: number][]) => order.map(([value, rank]) => ({ value, rank }))

const CASES: Case[] = [
  { type: 'label_selection', given: 'nobody', answers: [], value: null, tied: null },
  { type: 'label_selection', given: 'one person', answers: ['a'], value: 'a', tied: null },
  { type: 'label_selection', given: 'two of three', answers: ['a', 'b', 'a'], value: 'a', tied: null },
  { type: 'label_selection', given: 'two of four, the others apart', answers: ['b', 'a', 'c', 'a'], value: 'a', tied: null },
  { type: 'label_selection', given: 'one each', answers: ['b', 'a'], value: null, tied: ['b', 'a'] },
  { type: 'label_selection', given: 'two pairs and one', answers: ['b', 'a', 'c', 'a', 'b'], value: null, tied: ['b', 'a'] },
  {
    type: 'label_selection',
    given: 'a name of the prototype',
    answers: ['__proto__', 'constructor', '__proto__'],
    value: '__proto__',
    tied: null,
  },
  { type: 'rating', given: 'two of three', answers: [5, 1, 5], value: 5, tied: null },
  { type: 'rating', given: 'one each', answers: [1, 5], value: null, tied: [1, 5] },
  { type: 'text', given: 'texts that differ in white space', answers: [' Yes\n', 'No', 'Yes'], value: ' Yes\n', tied: null },
  { type: 'text', given: 'texts composed differently', answers: ['e\u0301', '\u00e9', 'x'], value: 'e\u0301', tied: null },
  { type: 'text', given: 'different texts', answers: ['Yes', 'yes'], value: null, tied: ['Yes', 'yes'] },
  { type: 'multi_label_selection', given: 'nobody', answers: [], value: null, tied: null },
  { type: 'multi_label_selection', given: 'one person', answers: [['a', 'b']], value: ['a', 'b'], tied: null },
  {
    type: 'multi_label_selection',
    given: 'two of three',
    answers: [['a', 'b'], ['b'], ['c', 'a']],
    value: ['a', 'b'],
    tied: null,
  },
  {
    type: 'multi_label_selection',
    given: 'half of the people',
    answers: [
      ['a', 'b'],
      ['b', 'c'],
    ],
    value: ['b'],
    tied: ['a', 'c'],
  },
  { type: 'multi_label_selection', given: 'no label in common', answers: [['a'], ['b'], ['c']], value: [], tied: null },
  {
    type: 'ranking',
    given: 'one person with equal ranks',
    answers: [ranks(['b', 1], ['a', 1])],
    value: ranks(['b', 1], ['a', 1]),
    tied: null,
  },
  {
    type: 'ranking',
    given: 'three people',
    answers: [ranks(['a', 1], ['b', 2], ['c', 3]), ranks(['a', 1], ['c', 2], ['b', 3]), ranks(['b', 1], ['a', 2], ['c', 3])],
    value: ranks(['a', 1], ['b', 2], ['c', 3]),
    tied: null,
  },
  {
    type: 'ranking',
    given: 'two people who disagree about two options',
    answers: [ranks(['a', 1], ['b', 2], ['c', 3]), ranks(['b', 1], ['a', 2], ['c', 3])],
    value: ranks(['a', 1], ['b', 1], ['c', 3]),
    tied: ['a', 'b'],
  },
  { type: 'ranking', given: 'an option without a rank', answers: [[{ value: 'a', rank: null }]], value: null, tied: null },
  { type: 'span', given: 'nobody', answers: [], value: null, tied: null },
  {
    type: 'span',
    given: 'two of three, in the order of the text',
    answers: [[at(9, 12), at(0, 4)], [at(0, 4)], [at(9, 12)]],
    value: [at(0, 4), at(9, 12)],
    tied: null,
  },
  { type: 'span', given: 'other ends', answers: [[at(0, 4)], [at(0, 5)], [at(0, 6)]], value: [], tied: null },
  { type: 'span', given: 'other labels', answers: [[at(0, 4)], [at(0, 4, 'LOC')]], value: [], tied: [at(0, 4, 'LOC'), at(0, 4)] },
  { type: 'span', given: 'somebody who saw none', answers: [[at(0, 4)], []], value: [], tied: [at(0, 4)] },
  { type: 'span', given: 'all saw none', answers: [[], []], value: [], tied: null },
  { type: 'span', given: 'the same twice in one answer', answers: [[at(0, 4), at(0, 4)], [], []], value: [], tied: null },
]

describe('answers are resolved by majority', () => {
  test.each(CASES)('$type: $given', ({ type, answers, value, tied }) => {
    expect(questionTypeOf({ type }).resolution.of(answers)).toEqual({ value, tied })
  })
})
