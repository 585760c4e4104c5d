import { describe, expect, test } from 'vitest'
import { toConll, toSpacy } from './span-documents.ts'
import { type Span, toTokens, withoutOverlaps } from './tokens.ts'

const span = (start: number, end: number, label = 'PER'): Span => ({ label, start, end })
const of = (text: string, ...spans: Span[]) => ({ id: 'r1', text, spans, user: null })
const tagged = (text: string, ...spans: Span[]) =>
  toConll(of(text, ...spans))
    .split('\n')
    .filter(line => line.includes('\t'))
    .map(line => line.replace('\t', ' '))

describe('tokens', () => {
  test.each([
    ['Ada met Bob.', [], ['Ada', ' ', 'met', ' ', 'Bob', '.']],
    ["don't stop-and-go", [], ["don't", ' ', 'stop-and-go']],
    ['Donaudampfschiff', [span(5, 10)], ['Donau', 'dampf', 'schiff']],
    ['😀😀 ok', [span(1, 2)], ['😀', '😀', ' ', 'ok']],
    ['a  b', [span(2, 4)], ['a', ' ', ' ', 'b']],
    ['', [], []],
  ])('of %j', (text, spans, tokens) => {
    const found = toTokens(text, spans)
    expect(found.map(token => token.text)).toEqual(tokens)
    expect(found.map(token => token.text).join('')).toBe(text)
    const points = Array.from(text)
    for (const token of found) expect(points.slice(token.start, token.end).join('')).toBe(token.text)
  })
})

test.each([
  { given: 'apart', spans: [span(5, 8), span(0, 4)], kept: [span(0, 4), span(5, 8)] },
  { given: 'one inside another', spans: [span(1, 2), span(0, 4)], kept: [span(0, 4)] },
  { given: 'equally long', spans: [span(2, 6), span(0, 4)], kept: [span(0, 4)] },
  { given: 'a chain', spans: [span(0, 3), span(2, 6), span(5, 8)], kept: [span(2, 6)] },
  { given: 'the same with two labels', spans: [span(0, 3, 'b'), span(0, 3, 'a')], kept: [span(0, 3, 'a')] },
  { given: 'side by side', spans: [span(0, 3), span(3, 6)], kept: [span(0, 3), span(3, 6)] },
])('of overlapping spans the longest stays: $given', ({ spans, kept }) => {
  expect(withoutOverlaps(spans)).toEqual(kept)
})

describe('CoNLL', () => {
  test('has a token and its tag on each line, and an empty line at the end', () => {
    expect(toConll(of('Ada Lovelace came.', span(0, 12)))).toBe('# id = r1\nAda\tB-PER\nLovelace\tI-PER\ncame\tO\n.\tO\n\n')
  })

  test.each([
    ['spans side by side begin anew', 'AdaBob', [span(0, 3), span(3, 6)], ['Ada B-PER', 'Bob B-PER']],
    ['a span inside a word', 'Donaudampf', [span(5, 10)], ['Donau O', 'dampf B-PER']],
    ['a span with spaces at its ends', 'a  b  c', [span(2, 5)], ['a O', 'b B-PER', 'c O']],
    ['a label with spaces', 'Ada', [span(0, 3, 'a person')], ['Ada B-a_person']],
    ['offsets after characters of two units', '😀 Ada', [span(2, 5)], ['😀 O', 'Ada B-PER']],
    ['a span past the end of the text', 'Ada', [span(0, 30)], ['Ada O']],
    ['an empty span', 'Ada', [span(1, 1)], ['Ada O']],
  ])('%s', (_name, text, spans, lines) => {
    expect(tagged(text, ...spans)).toEqual(lines)
  })

  test('says how many overlapping spans it leaves out, and whose answer it is', () => {
    const text = toConll({ ...of('Ada Lovelace', span(0, 12), span(0, 3)), id: 'r\n1', user: 'ann' })
    expect(text).toBe('# id = r 1\n# user = ann\n# overlapping spans left out = 1\nAda\tB-PER\nLovelace\tI-PER\n\n')
  })
})

describe('spaCy', () => {
  test.each([
    [
      'Ada met Bob.',
      [span(0, 3)],
      [
        [0, 3],
        [4, 7],
        [8, 11],
        [11, 12],
      ],
    ],
    [
      'a  b',
      [],
      [
        [0, 1],
        [2, 3],
        [3, 4],
      ],
    ],
    [
      'a \n b',
      [],
      [
        [0, 1],
        [2, 4],
        [4, 5],
      ],
    ],
    [
      ' a',
      [],
      [
        [0, 1],
        [1, 2],
      ],
    ],
    [
      'a b',
      [span(1, 3)],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [
      'a b',
      [span(0, 2)],
      [
        [0, 1],
        [2, 3],
      ],
    ],
  ])('a single space belongs to the token before it: %j', (text, spans, tokens) => {
    const json = JSON.parse(toSpacy(of(text, ...spans)))
    expect(json.tokens).toEqual(tokens.map(([start, end], id) => ({ id, start, end })))
  })

  test.each([
    { text: 'a  b  c', given: span(1, 5), spans: [span(3, 4)] },
    { text: 'a  b', given: span(1, 3), spans: [] },
  ])('$given of $text has no white space at its ends', ({ text, given, spans }) => {
    expect(JSON.parse(toSpacy(of(text, given))).ents).toEqual(spans)
  })

  test('has all spans, and as entities those that do not overlap', () => {
    const json = JSON.parse(toSpacy(of('Ada Lovelace', span(0, 3), span(0, 12))))
    expect(json.ents).toEqual([{ start: 0, end: 12, label: 'PER' }])
    expect(json.spans.sc).toHaveLength(2)
    expect(json.meta).toEqual({ id: 'r1', user: null })
  })
})
