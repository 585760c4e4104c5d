import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSegment } from './build.ts'
import { deleteDocument, toLiveSegment } from './live.ts'
import { countLong } from './long-phrase.ts'
import { findPhrase } from './phrase.ts'
import type { Places } from './phrase-count.ts'
import { openSegment } from './segment.ts'

const word = fc.constantFrom('a', 'b', 'c')
const words = (maxLength: number) => fc.array(word, { maxLength, size: 'max' })
const repeated = (one: string, max: number) => fc.nat({ max }).map(length => Array.from({ length }, () => one))
/** Includes long texts, in which words are far apart or occur more often than fits into one byte. */
const text = fc.oneof(
  words(60),
  repeated('a', 60),
  fc.tuple(words(4), repeated('a', 400), words(4)).map(parts => parts.flat()),
)

/** Random words rarely occur consecutively, so parts of the texts are used as phrases too. */
const textsWithPhrase = fc
  .tuple(fc.array(text, { minLength: 1, maxLength: 8 }), fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), fc.boolean())
  .map(([texts, random, at, isRandom]) => {
    const from = texts[at % texts.length] ?? []
    const part = from.slice(at % (from.length + 1)).slice(0, random.length + 10)
    return { texts, phrase: isRandom || part.length === 0 ? random : part }
  })

const countPlainly = (tokens: readonly string[], phrase: readonly string[]) =>
  tokens.filter((_, i) => phrase.every((one, k) => tokens[i + k] === one)).length

test('phrases of any length are found where all their words stand one after the other', () => {
  const property = fc.property(textsWithPhrase, fc.nat({ max: 8 }), ({ texts, phrase }, deleted) => {
    const segment = openSegment(buildSegment(texts.map((tokens, i) => ({ recordNo: i + 1, pieces: [[tokens.join(' ')]] }))))
    const live = toLiveSegment(segment, Uint32Array.from(texts.keys()))
    if (deleted < texts.length) deleteDocument(live, deleted)
    const found = findPhrase(live, 0, { tokens: phrase, slop: 0 })
    const counts = texts.map((tokens, i) => [i, i === deleted ? 0 : countPlainly(tokens, phrase)] as const)
    const { documents, frequencies, count } = found
    expect(Array.from(documents.subarray(0, count), (document, i) => [document, frequencies[i]])).toEqual(
      counts.filter(([, expected]) => expected > 0),
    )
  })
  fc.assert(property, { numRuns: 500 })
})

test('phrases of many words are counted like those of few', () => {
  const property = fc.property(textsWithPhrase, ({ texts: [tokens = []], phrase }) => {
    const places = new Map(['a', 'b', 'c'].map(one => [one, toPlaces(tokens, one)]))
    expect(countLong(phrase.map(one => places.get(one) as Places))).toBe(countPlainly(tokens, phrase))
  })
  fc.assert(property, { numRuns: 500 })
})

function toPlaces(tokens: readonly string[], wanted: string): Places {
  const places = Uint32Array.from(tokens.flatMap((one, i) => (one === wanted ? [i] : [])))
  return { places, from: 0, to: places.length }
}
