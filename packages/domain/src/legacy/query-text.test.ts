import { describe, expect, test } from 'vitest'
import { toDocument } from './fields.ts'
import { matches } from './match.ts'
import { matchesPattern, parsePattern } from './pattern.ts'
import { parseQueryText } from './query-text.ts'
import type { StoredRecord } from './record.ts'
import { textClassification } from './text-classification.ts'

const record = {
  id: 'a',
  status: 'Validated',
  last_updated: '2026-11-15T02:25:04.086855',
  event_timestamp: '2026-01-31T00:00:00',
  inputs: { title: 'Hello World', body: 'It was a great, great plot; naïve café' },
  multi_label: false,
  metadata: { split: 'train', rank: 3, ratio: 0.5, 'n.x': 'deep', tags: ['a', 'b'], 'a text': 'Some Words', _hidden: 'no' },
  prediction: { agent: 'm1', labels: [{ class: 'pos', score: 0.9 }] },
  annotation: { agent: 'ann', labels: [{ class: 'neg', score: 1 }] },
} as unknown as StoredRecord

const isMatch = (query: string) => matches(toDocument(record, textClassification), parseQueryText(query))

describe('a query text', () => {
  test.each([
    'hello',
    'HELLO world',
    'naive',
    'nothing OR hello',
    'hello && (nothing || plot)',
    '+hello -nothing',
    'NOT nothing',
    '!nothing',
    '"great great plot"',
    '"great plot"',
    '"hello plot"~9',
    'inputs.title:world',
    'inputs.title:(nothing OR "hello world")',
    'inputs.title.exact:Hello',
    'hel*',
    'h?llo',
    'metadata.split:tr*n',
    '/hel+o/',
    'metadata.split:/t.*n/',
    'helo~',
    'hlelo~1',
    'metadata.rank:3',
    'metadata.rank:[3 TO *]',
    'metadata.rank:{2 TO 4}',
    'metadata.rank:<=3',
    'metadata.ratio:>0.4',
    'metadata.n.x:deep',
    'metadata.tags:b',
    'metadata.a\\ text:"Some Words"',
    'metadata.a\\ text.text:words',
    'event_timestamp:[2026-01-01 TO 2026-02-01]',
    'last_updated:>"2026-11-15T02:00:00"',
    '_exists_:metadata.split',
    'metadata.split:*',
    'multi_label:false',
    'predicted:ko AND predicted_as:pos AND annotated_as:neg',
    'predicted_by:m1 annotated_by:ann',
    'score:[0.9 TO 1]',
    'hello^2 world^0.5',
    'and OR hello',
    '*',
    '*:*',
    '+*:* -nothing',
    '*:hello',
    'inputs.*:world',
    'inputs.\\*:world',
    'metadata.*:train',
    '_exists_:metadata.*',
    'inputs.title : world',
    'inputs.title:\tworld',
    'hello AND NOT nothing',
    'hello NOT nothing',
    'hello && !nothing',
    '-(nothing OR other)',
    '(hello world)^2',
    '"hello world"^2',
    'hello~0.5',
    'metadata.rank:[3 TO 4}',
    'metadata.rank:{2 TO 3]',
    'metadata.rank:["3" TO "3"]',
    'metadata.split:[* TO *]',
    'hello\\-world OR hello',
    'h\\ello',
    ' ',
  ])('%s matches', query => {
    expect(isMatch(query)).toBe(true)
  })

  test.each([
    'nothing',
    'hello nothing',
    'hello AND nothing',
    'hello -plot',
    '"world hello"',
    '"great plot great"',
    '"hello plot"~2',
    'inputs.body:hello',
    'inputs.title.exact:hello',
    'text.exact:plot',
    'hel',
    'h??llo',
    '/hel/',
    'halo~0',
    'metadata.split:Train',
    'metadata.rank:three',
    'metadata.rank:{3 TO *]',
    'metadata.split:>=u',
    'metadata._hidden:no',
    'metadata.constructor:*',
    'constructor:x',
    '_exists_:metadata.other',
    'event_timestamp:[2026-02-01 TO *]',
    'status:validated',
    'NOT hello OR nothing',
    '-*:*',
    'NOT *',
    '*:nothing',
    'inputs.*:train',
    'metadata.*:other',
    'metadata.rank:[2 TO 3}',
    'hel\\*',
  ])('%s does not match', query => {
    expect(isMatch(query)).toBe(false)
  })

  test.each([
    '(',
    ')',
    '"open',
    'a AND',
    'OR',
    'x:',
    'inputs.ti*:world',
    'm?tadata.split:train',
    '[1 TO',
    'a:[1 2]',
    '/open',
    'a^',
    '\\',
    '/a{1,200}/',
    '/[a/',
    '/*/',
    '('.repeat(60),
    'a'.repeat(10_001),
  ])('%s is refused', query => {
    expect(() => parseQueryText(query)).toThrow(/InvalidTextSearchError/)
  })
})

describe('a pattern', () => {
  test.each([
    ['a{2,3}', 'aa', true],
    ['a{2,3}', 'aaaa', false],
    ['a{2,}', 'aaaa', true],
    ['(ab|c)+d?', 'abcab', true],
    ['[^a-c]x', 'dx', true],
    ['[^a-c]x', 'bx', false],
    ['\\.', '.', true],
    ['\\.', 'a', false],
    ['', '', true],
    ['.', '🎉', true],
  ])('/%s/ and %s: %s', (pattern, value, expected) => {
    expect(matchesPattern(parsePattern(pattern, 'regex'), value)).toBe(expected)
  })

  test('takes time proportional to the value', () => {
    const started = performance.now()
    for (const pattern of ['(a*)*b', '(a|aa)+b', '(a?){50}a{50}b'])
      matchesPattern(parsePattern(pattern, 'regex'), 'a'.repeat(2_000))
    // A backtracking matcher would take practically forever.
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})
