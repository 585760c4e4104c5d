import { compareText } from '@postil/domain/search/compare-text'
import { anyText } from '@postil/domain/testing/any-text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Dictionary } from './dictionary.ts'

const word = fc.oneof(
  anyText({ maxLength: 4 }),
  fc.constantFrom('constructor', '__proto__', 'toString', '', '\ud800', '\uffff', '😀', 'x'.repeat(10_000)),
)
const sortedWords = (dictionary: Dictionary) => Array.from(dictionary.sorted(), code => dictionary.wordOf(code))

describe('a dictionary', () => {
  test('keeps its words in the order of code points, also after words are added', () => {
    const property = fc.property(fc.array(word, { maxLength: 40 }), fc.array(word, { maxLength: 3 }), (first, later) => {
      const dictionary = new Dictionary()
      for (const words of [first, ...later.map(word => [word])]) {
        for (const word of words) dictionary.add(word)
        const known = sortedWords(dictionary)
        expect(known).toEqual([...known].sort(compareText))
        expect(new Set(known).size).toBe(dictionary.size)
        expect(known.map(word => dictionary.ranks()[dictionary.find(word)])).toEqual(known.map((_, rank) => rank))
      }
      expect(new Set(sortedWords(dictionary))).toEqual(new Set([...first, ...later]))
    })
    fc.assert(property)
  })

  test('counts the words before a text', () => {
    const property = fc.property(fc.array(word), word, (words, text) => {
      const dictionary = new Dictionary()
      for (const word of words) dictionary.add(word)
      const distinct = [...new Set(words)]
      expect(dictionary.countBefore(text, false)).toBe(distinct.filter(word => compareText(word, text) < 0).length)
      expect(dictionary.countBefore(text, true)).toBe(distinct.filter(word => compareText(word, text) <= 0).length)
    })
    fc.assert(property)
  })

  test('inserts a new word into a large order', () => {
    const dictionary = new Dictionary()
    for (let i = 0; i < 5_000; i++) dictionary.add(`w${i}`)
    const before = sortedWords(dictionary)
    for (const word of ['w25a', 'a', 'z']) dictionary.add(word)
    expect(sortedWords(dictionary)).toEqual([...before, 'w25a', 'a', 'z'].sort())
  })

  test('knows words that objects have as properties only if they were added', () => {
    const dictionary = new Dictionary()
    expect(['__proto__', 'constructor'].map(word => dictionary.find(word))).toEqual([0, 0])
    expect(['__proto__', 'constructor', '__proto__'].map(word => dictionary.add(word))).toEqual([1, 2, 1])
  })
})
