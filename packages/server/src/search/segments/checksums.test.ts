import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TextDocument } from '../engine.ts'
import { buildSegment } from './build.ts'
import { addChecksums, checksumOf, SKIPPED } from './checksums.ts'
import { openSegment } from './segment.ts'
import { FIELDS, pieces } from './testing/random-texts.ts'

type Pieces = TextDocument['pieces']

function sumsOf(texts: readonly Pieces[], targets = Int32Array.from(texts.keys())): number[] {
  const segment = openSegment(buildSegment(texts.map((text, i) => ({ recordNo: i + 1, pieces: text }))))
  const sums = new Int32Array(texts.length)
  addChecksums(segment, targets, sums)
  return [...sums]
}

const someTexts = fc.array(fc.array(pieces, { minLength: FIELDS, maxLength: FIELDS }), { maxLength: 8 })

test('a segment and the texts it was built from have the same checksums', () => {
  fc.assert(fc.property(someTexts, texts => void expect(sumsOf(texts)).toEqual(texts.map(checksumOf))))
})

test('documents that are left out change nothing', () => {
  fc.assert(
    fc.property(someTexts, fc.infiniteStream(fc.boolean()), (texts, choices) => {
      const targets = Int32Array.from(texts.keys(), i => (choices.next().value ? i : SKIPPED))
      const expected = texts.map((text, i) => (targets[i] === SKIPPED ? 0 : checksumOf(text)))
      expect(sumsOf(texts, targets)).toEqual(expected)
    }),
  )
})

test.each<[string, Pieces, Pieces]>([
  ['another word', [['green apple']], [['green apples']]],
  ['a missing word', [['green apple pie']], [['green apple']]],
  ['another order', [['green apple']], [['apple green']]],
  ['a word twice', [['apple']], [['apple apple']]],
  ['another field', [['apple'], null], [null, ['apple']]],
  ['swapped fields', [['apple'], ['pear']], [['pear'], ['apple']]],
  ['a break between pieces', [['green apple']], [['green', 'apple']]],
  ['no words', [['apple']], [[]]],
])('%s changes the checksum', (_name, left, right) => {
  expect(sumsOf([left])).not.toEqual(sumsOf([right]))
  expect(checksumOf(left)).not.toBe(checksumOf(right))
})
