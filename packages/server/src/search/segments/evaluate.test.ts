import { parseTextQuery } from '@postil/domain/search/text-query'
import { describe, expect, test } from 'vitest'
import { Bitmap } from '../bitmap.ts'
import { buildSegment } from './build.ts'
import { TestDataset } from './dataset.contract.ts'
import { prepareTextSearch } from './evaluate.ts'
import { toLiveSegment } from './live.ts'
import { openSegment } from './segment.ts'

const TEXTS: (string | string[] | null)[][] = [
  ['green apple', 'a fox'],
  ['green green pear and more words', null],
  [['apple pie', 'is green'], 'apple'],
  [null, null],
]

function open(cut: number): TestDataset {
  const documents = TEXTS.map((pieces, i) => ({
    recordNo: i + 1,
    pieces: pieces.map(texts => (typeof texts === 'string' ? [texts] : texts)),
  }))
  const dataset = new TestDataset()
  for (let i = 0; i < documents.length; i += cut) dataset.put(documents.slice(i, i + cut))
  return dataset
}

describe.each([1, 3, 4])('in segments of %i documents', cut => {
  const dataset = open(cut)
  const find = (q: string, field: number | null) => [...dataset.search({ tree: parseTextQuery(q), field }).keys()]

  test.each<[q: string, field: number | null, found: number[]]>([
    ['apple', null, [1, 3]],
    ['apple', 0, [1, 3]],
    ['apple', 1, [3]],
    ['apple', 2, []],
    ['"apple pie"', null, [3]],
    // Phrases never match across the pieces of a field, regardless of the slop.
    ['"pie is"', null, []],
    ['"pie is"~1000 ', null, []],
    ['"apple green"~2 ', null, [1]],
    ['"apple green"~1 ', null, []],
    // If a phrase contains a word twice, the text must contain it twice.
    ['"green green"~9 ', null, [2]],
    ['appl*', null, [1, 3]],
    ['aple~1 ', 1, [3]],
    ['-green', null, [4]],
    ['green -apple', null, [2]],
    ['fox | -apple', null, [1, 2, 4]],
    ['*', null, [1, 2, 3, 4]],
    ['"..."', null, []],
    // Both parts must be in the same field.
    ['green-apple', null, [1, 3]],
    ['green-fox', null, []],
  ])('`%s` in field %s finds %j', (q, field, found) => {
    expect(find(q, field)).toEqual(found)
  })
})

test('a score does not depend on which other matches are scored', () => {
  const search = prepareTextSearch(open(3).index(), { tree: parseTextQuery('apple green* "apple pie" gren~1 '), field: null })
  const matches = search.find()
  const scoresOf = (some: Bitmap) => {
    const scores = new Float64Array(TEXTS.length)
    search.score(some, scores)
    return scores
  }
  const scores = scoresOf(matches)
  for (const ordinal of matches.ordinals()) {
    const alone = new Bitmap()
    alone.set(ordinal)
    expect(scoresOf(alone)[ordinal]).toBe(scores[ordinal])
  }
  expect(matches.count()).toBeGreaterThan(0)
})

test('ordinals need not be in the order of the documents', () => {
  const segment = openSegment(
    buildSegment([
      { recordNo: 1, pieces: [['fox']] },
      { recordNo: 2, pieces: [['dog']] },
    ]),
  )
  const records = new Bitmap()
  records.fill([40, 70])
  const index = { segments: [toLiveSegment(segment, Uint32Array.of(70, 40))], records }
  const find = (q: string) => [
    ...prepareTextSearch(index, { tree: parseTextQuery(q), field: null })
      .find()
      .ordinals(),
  ]
  expect([find('-dog'), find('dog')]).toEqual([[70], [40]])
})

test('a dataset without segments finds nothing', () => {
  for (const q of ['a', '-a', '*']) {
    const search = prepareTextSearch({ segments: [], records: new Bitmap() }, { tree: parseTextQuery(q), field: null })
    expect(search.find().count()).toBe(0)
  }
})
