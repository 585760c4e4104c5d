/** Tests with texts and queries at the limits. */

import { parseTextQuery, type TextQuery } from '@postil/domain/search/text-query'
import { PIECE_BREAK, TOKEN_LENGTH_MAX } from '@postil/domain/search/tokens'
import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { TestDataset } from './dataset.contract.ts'
import { plainlyMatches, plainScore } from './plain.contract.ts'

const repeat = (word: string, count: number) => Array.from({ length: count }, () => word).join(' ')
const LONG = 'x'.repeat(TOKEN_LENGTH_MAX)
const PAIRS = '𐐨'.repeat(TOKEN_LENGTH_MAX)

const dataset = new TestDataset()
const TEXTS = [
  [''],
  ['', ' ... ', ''],
  [`${repeat('a', 40)} b`],
  [LONG],
  [`${LONG}x`],
  [PAIRS],
  [`${PAIRS}𐐩`],
  ['東京都に行く'],
  ['京 東'],
  ['constructor __proto__ toString'],
  ['\ud83d lone \ude00 halves', `${PIECE_BREAK}b`],
  ['👩‍👩‍👧 🇩🇪 👍🏽'],
  ['', 'a', '', 'b', ''],
]
dataset.put(TEXTS.slice(0, 6).map((pieces, i) => ({ recordNo: i + 1, pieces: [pieces] })))
dataset.put(TEXTS.slice(6).map((pieces, i) => ({ recordNo: i + 7, pieces: [pieces] })))

const QUERIES: TextQuery[] = [
  ...[
    'a b',
    '"a b"',
    '"b a"~3 ',
    '"a a a b"',
    '東京',
    '"東 京"~4 ',
    '京*',
    'constructor',
    'hasOwnProperty',
    '__proto__*',
    'lone',
  ].map(parseTextQuery),
  ...['👩‍👩‍👧', '🇩🇪', '👍🏽', '👍', 'proto~2 ', '-a', `${LONG}*`, `${LONG}~1 `, `${LONG}~2 `, `x${LONG}~1 `, `${PAIRS}~1 `].map(
    parseTextQuery,
  ),
  { kind: 'prefix', start: '' },
  { kind: 'prefix', start: PIECE_BREAK },
  { kind: 'prefix', start: '\ud801' },
  { kind: 'fuzzy', token: PIECE_BREAK, distance: 1 },
  { kind: 'fuzzy', token: '𐐨', distance: 1 },
  { kind: 'fuzzy', token: `${'𐐨'.repeat(TOKEN_LENGTH_MAX - 2)}ab`, distance: 2 },
]

describe('unusual texts', () => {
  test.each(QUERIES.map(tree => [JSON.stringify(tree).slice(0, 60), tree] as const))('%s', (_, tree) => {
    const query = { tree, field: null }
    const documents = [...dataset.documents.values()]
    const expected = documents.filter(document => plainlyMatches(document, query))
    const found = dataset.search(query)
    expect([...found.keys()]).toEqual(expected.map(({ recordNo }) => recordNo))
    for (const document of expected) {
      expect(found.get(document.recordNo)).toBeCloseTo(plainScore(documents, document, query), 9)
    }
  })
})

describe('one record with 100,000 words', () => {
  const large = new TestDataset()
  const count = (q: TextQuery) => large.search({ tree: q, field: null }).size
  large.put([
    { recordNo: 1, pieces: [[repeat('a', 100_000)]] },
    { recordNo: 2, pieces: [Array.from({ length: 50_000 }, () => 'a b')] },
    { recordNo: 3, pieces: [[Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(' ')]] },
  ])
  const phrase = (tokens: string[], slop: number): TextQuery => ({ kind: 'phrase', tokens, slop })
  const many = (length: number) => Array.from({ length }, () => 'a')

  test.each<[name: string, tree: TextQuery, found: number]>([
    ['a word', parseTextQuery('a'), 2],
    ['its words in order', phrase(['w99998', 'w99999'], 0), 1],
    ['its words far apart', phrase(['w0', 'w99999'], 99_998), 1],
    ['its words farther apart than allowed', phrase(['w0', 'w99999'], 99_997), 0],
    ['a phrase of 2,048 times the same word', phrase(many(2048), 0), 1],
    ['a phrase of 16 times the same word', phrase(many(16), 0), 1],
    ['a loose phrase of 16 times the same word', phrase(many(16), 8), 1],
    ['a loose phrase over many pieces', phrase(['b', 'a'], 1_000_000), 1],
    ['all beginnings', { kind: 'prefix', start: '' }, 3],
    ['short words that may be misspelt', { kind: 'fuzzy', token: 'ab', distance: 2 }, 3],
  ])('%s is searched in bounded time', async (_, tree, found) => {
    let total = 0
    const ms = await processorMs(() => {
      total = count(tree)
    })
    expect(total).toBe(found)
    expect(ms).toBeLessThan(5000)
  })

  test('stays the same when it is merged', () => {
    const query = { tree: phrase(['a', 'b'], 0), field: null }
    const before = large.search(query)
    large.merge(0, 1)
    expect(large.search(query)).toEqual(before)
  })
})
