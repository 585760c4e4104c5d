import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countLong } from './long-phrase.ts'
import { countExact, type Places } from './phrase-count.ts'

const word = fc.constantFrom('a', 'b', 'c')

test('phrases of any length are counted where all their words stand one after the other', () => {
  const texts = fc.oneof(
    fc.array(word, { maxLength: 60 }),
    fc.nat({ max: 60 }).map(length => Array.from({ length }, () => 'a')),
  )
  const property = fc.property(texts, fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), (text, random, at) => {
    // Random words are rarely in the text one after the other, so a part of the text is looked for as well.
    for (const phrase of [random, text.slice(at % (text.length + 1)).slice(0, random.length + 10)]) {
      if (phrase.length === 0) continue
      const expected = text.filter((_, i) => phrase.every((one, k) => text[i + k] === one)).length
      const places = new Map(['a', 'b', 'c'].map(one => [one, toPlaces(text, one)]))
      const words = phrase.map(one => places.get(one) as Places)
      expect(countExact(words, [])).toBe(expected)
      expect(countLong(words)).toBe(expected)
    }
  })
  fc.assert(property, { numRuns: 500 })
})

function toPlaces(text: readonly string[], wanted: string): Places {
  const places = Uint32Array.from(text.flatMap((one, i) => (one === wanted ? [i] : [])))
  return { places, from: 0, to: places.length }
}
