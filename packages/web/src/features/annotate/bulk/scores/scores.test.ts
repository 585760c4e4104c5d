import { describe, expect, test } from 'vitest'
import { questionWith, suggestionOf } from '../../../../questions/question-fixtures.ts'
import { countFrom, hasScores, isGoodEnough, scoresOf, smallestScore, suggestedQuestions, toMinScore } from './scores.ts'

const question = questionWith({ type: 'text', use_markdown: false })
const suggested = (score: number | number[] | null) => ({ suggestions: [suggestionOf('x', score)] })
const RECORDS = [
  suggested(0),
  suggested(0.05),
  suggested(0.6),
  suggested(0.9),
  suggested(1),
  suggested(null),
  { suggestions: [] },
]

test.each([
  [null, null],
  [0, 0],
  [0.4, 0.4],
  [[0.9, 0.2], 0.2],
  [[], null],
])('of %j the smallest is %j', (score, smallest) => expect(smallestScore({ score })).toBe(smallest))

describe('how many from a threshold on', () => {
  const scores = scoresOf(RECORDS, question)
  test.each([
    [0, 6],
    [0.05, 4],
    [0.1, 3],
    [0.6, 3],
    [0.65, 2],
    [0.9, 2],
    [0.95, 1],
    [1, 0],
  ])('%d: %i', (threshold, count) => expect(countFrom(scores, threshold)).toBe(count))

  test('never more than there are records', () => {
    expect(
      countFrom(
        {
          suggested: 3,
          bars: [
            { from: 0.5, to: 0.55, count: 2 },
            { from: 0.9, to: 0.95, count: 2 },
          ],
        },
        0.1,
      ),
    ).toBe(3)
  })

  test('without scores there is nothing to draw', () => {
    expect([hasScores(scores), hasScores(scoresOf([suggested(null)], question))]).toEqual([true, false])
  })
})

test.each([
  [null, [0, 1, 2, 3, 4, 5]],
  [0.6, [2, 3, 4]],
  [1, [4]],
])('a smallest score of %j takes %j', (minScore, places) => {
  expect(RECORDS.flatMap((record, i) => (isGoodEnough(record, question, minScore) ? [i] : []))).toEqual(places)
})

test('all, or from a score on', () => expect([toMinScore(0), toMinScore(0.05)]).toEqual([null, 0.05]))

test('questions that something is suggested for', () => {
  const [other, none] = ['other', 'none'].map(id => ({ ...question, id }))
  const once = { suggestions: [{ ...suggestionOf('x'), question_id: 'other' }] }
  expect(
    suggestedQuestions(
      [other, none, question].flatMap(one => one ?? []),
      [...RECORDS, once],
    ),
  ).toEqual([question, other])
})
