import { describe, expect, test } from 'vitest'
import { VECTOR_DIMENSIONS, VECTOR_NAME } from './sample/settings.ts'
import { findMentions, toRecord } from './sample/to-record.ts'
import { freeSampleName, SAMPLE_LETTERS } from './sample-dataset.ts'

test.each([
  [[], 'sample'],
  [['other'], 'sample'],
  [['sample'], 'sample-2'],
  [['sample', 'sample-3'], 'sample-2'],
  [['sample', 'sample-2', 'sample-3'], 'sample-4'],
])('if %j are taken, the sample is called %s', (taken, name) => expect(freeSampleName(taken)).toBe(name))

test('mentions count code points, so that an emoji before them shifts nothing', () => {
  expect(findMentions('🚲🚲 a chain', [['part', 'chain', 1]])).toEqual([{ label: 'part', start: 5, end: 10 }])
  expect(() => findMentions('a wheel', [['part', 'chain', 1]])).toThrow('chain')
})

describe('the letters', () => {
  const ids = { topic: 't', mood: 'm', rating: 'r', improve: 'i', better: 'b', mentions: 's' }
  const records = SAMPLE_LETTERS.map((letter, i) => toRecord(letter, i + 1, ids))

  test('are thirty', () => expect(records).toHaveLength(30))

  test('have a vector, all metadata and a suggestion for every question', () => {
    for (const { vectors, metadata, suggestions } of records) {
      expect(vectors?.[VECTOR_NAME]).toHaveLength(VECTOR_DIMENSIONS)
      expect(Object.keys(metadata ?? {})).toEqual(['language', 'days_waiting', 'order_value'])
      expect(suggestions?.map(({ question_id }) => question_id)).toEqual(Object.values(ids))
    }
  })

  test.each(['chat', 'picture', 'order'])('show the field %s in several records', name => {
    expect(records.filter(({ fields }) => fields?.[name] !== undefined).length).toBeGreaterThan(4)
  })

  test('mark what they say they mark', () => {
    for (const { letter, mentions } of SAMPLE_LETTERS) {
      const points = Array.from(letter)
      const marked = findMentions(letter, mentions).map(({ start, end }) => points.slice(start, end).join(''))
      expect(marked).toEqual(mentions.map(([, text]) => text))
    }
  })
})
