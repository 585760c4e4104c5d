import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../testing/processor-time.ts'
import { createHighlighter, type HighlightRange, RANGES_MAX } from './highlight.ts'
import { editDistance, matchesText } from './text-match.ts'
import { parseTextQuery } from './text-query.ts'
import { tokenize } from './tokens.ts'

const mark = (q: string, ...texts: string[]) => createHighlighter(parseTextQuery(q)).mark(texts)
const slices = (q: string, text: string) => {
  const codePoints = [...text]
  return (mark(q, text)[0] ?? []).map(([start, end]) => codePoints.slice(start, end).join(''))
}

describe('marked are', () => {
  test.each<[q: string, text: string, marked: string[]]>([
    ['apple', 'An Apple, an apple!', ['Apple', 'apple']],
    ['green apple', 'apple green', ['apple', 'green']],
    ['green | pear', 'a pear', ['pear']],
    ['green -apple', 'green apple', ['green']],
    ['-(green | apple) pie', 'green apple pie', ['pie']],
    ['--apple', 'apple', ['apple']],
    ['appl*', 'apple application pear', ['apple', 'application']],
    ['aple~1', 'apple ample able', ['apple', 'ample', 'able']],
    ['"green apple"', 'green pie, green apple', ['green', 'apple']],
    ['"green apple"~2', 'apple pie green', ['apple', 'green']],
    ['covid-19', 'COVID-19 and 19', ['COVID', '19', '19']],
    ['covid-19', '19 only', []],
    ["don't", 'I don’t', ['don’t']],
    ['cafe', 'CAFÉ cafe\u0301', ['CAFÉ', 'cafe\u0301']],
    ['strasse', 'Straße', ['Straße']],
    ['😀', 'x😀😀y', ['😀😀']],
    ['👨‍👩‍👧', '👨‍👩‍👧 👨', ['👨‍👩‍👧']],
    ['東京', '東京と京都', ['東京']],
    ['京', '東京と京都', ['京', '京']],
    ['שלום', 'שָׁלוֹם עולם', ['שָׁלוֹם']],
    ['مرحبا', 'مَرْحَبًا بك', ['مَرْحَبًا']],
    ['*', 'apple', []],
    ['', 'apple', []],
  ])('of %s in `%s`: %j', (q, text, marked) => {
    expect(slices(q, text)).toEqual(marked)
  })

  test('code points, so that an emoji before a word counts once', () => {
    expect(mark('fox', '😀 fox')).toEqual([[[2, 5]]])
  })

  test('words of each text of a field; those that belong together may stand in two of them', () => {
    expect(mark('covid-19', 'covid', 'the 19th', '19')).toEqual([[[0, 5]], [], [[0, 2]]])
  })

  test('at most 200 ranges in all texts of a field', () => {
    const [first = [], second = [], third = []] = mark('a', 'a b '.repeat(150), 'a b '.repeat(150), 'a')
    expect([first.length, second.length, third.length]).toEqual([150, RANGES_MAX - 150, 0])
  })

  test.each([
    ['a phrase that is itself repeated', `"${'a '.repeat(2000)}"`, 'a '.repeat(500_000)],
    ['many phrases with one beginning', Array.from({ length: 128 }, (_, i) => `"a ${i}"`).join(' | '), 'a '.repeat(500_000)],
    [
      'many misspelt words',
      Array.from({ length: 8 }, (_, i) => `word${i}~2`).join(' | '),
      Array.from({ length: 100_000 }, (_, i) => `wrd${i}`).join(' '),
    ],
  ])('found in bounded time: %s', async (_, q, text) => {
    const highlighter = createHighlighter(parseTextQuery(q))
    expect(await processorMs(() => highlighter.mark([text]))).toBeLessThan(1500)
  })
})

const WORDS = [
  'green',
  'apple',
  'Äpple',
  'cafe\u0301',
  'Straße',
  '東京',
  '京',
  '😀',
  '👨‍👩‍👧',
  'co-op',
  'שָׁלוֹם',
  'x_y',
  "don't",
  '12.5',
  ',',
  '(',
]
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map(list => list.join(' '))
const leaf = fc.oneof(fc.constantFrom(...WORDS, 'gr*', 'aple~1', '-green', '"green apple"', '"東 京"', '"apple green"~3'))
const query = fc
  .array(fc.tuple(leaf, fc.constantFrom(' ', ' | ')), { minLength: 1, maxLength: 4 })
  .map(parts => parts.flat().join(''))

test('ranges lie in the text, sorted and apart, and each holds only words that the query asks for', () => {
  const wanted = (q: string) => new Set(tokenize(q.replaceAll('-green', '')))
  const property = fc.property(query, fc.array(words, { maxLength: 3 }), (q, texts) => {
    const marked = mark(q, ...texts)
    expect(marked.length).toBe(texts.length)
    for (const [i, ranges] of marked.entries()) checkRanges(ranges, texts[i] ?? '', wanted(q))
  })
  fc.assert(property, { numRuns: 500 })
})

function checkRanges(ranges: HighlightRange[], text: string, wanted: Set<string>): void {
  const codePoints = [...text]
  let before = -1
  for (const [start, end] of ranges) {
    expect(start).toBeGreaterThan(before)
    expect(end).toBeGreaterThan(start)
    expect(end).toBeLessThanOrEqual(codePoints.length)
    before = end
    const tokens = tokenize(codePoints.slice(start, end).join(''))
    expect(tokens.length).toBeGreaterThan(0)
    for (const token of tokens) {
      expect(wanted.has(token) || token.startsWith('gr') || editDistance(token, 'aple') <= 1).toBe(true)
    }
  }
}

test('where a query without negation finds a text, something is marked', () => {
  const property = fc.property(query, words, (q, text) => {
    const tree = parseTextQuery(q)
    fc.pre(!q.includes('-green') && matchesText(tree, new Map([['text', [text]]])))
    expect(mark(q, text)[0]?.length).toBeGreaterThan(0)
  })
  fc.assert(property, { numRuns: 500 })
})
