import { expect, test } from 'vitest'
import { toChunks } from './chunks.ts'

const cases = {
  nothing: '',
  'one line': 'a',
  'a line break at the end': 'a\n',
  'only line breaks': '\n\n\n',
  'Windows line breaks': 'a\r\nb\r\n',
  'very many short lines': 'short\n'.repeat(5000),
  'one very long line': 'x'.repeat(200_000),
  'one very long line of pairs': `a${'🚀'.repeat(20_000)}`,
  'one very long line of words': 'word '.repeat(20_000),
  'long paragraphs': `${'word '.repeat(500)}\n\n`.repeat(80),
}

test.each(Object.entries(cases))('%s is the same text when put together', (_, text) => {
  expect(
    toChunks(text)
      .flatMap(({ paragraphs }) => paragraphs.map(one => one.text))
      .join(''),
  ).toBe(text)
})

test('a long text has many chunks, none of them large', () => {
  const chunks = toChunks(cases['very many short lines'])
  expect(chunks.length).toBeGreaterThan(50)
  expect(Math.max(...chunks.map(({ paragraphs }) => paragraphs.length))).toBeLessThanOrEqual(60)
})

test('a very long line is parted between words, and never within a character', () => {
  const words = toChunks(cases['one very long line of words'])
  expect(words.every(({ paragraphs }) => paragraphs.every(({ text }) => text.endsWith('word ')))).toBe(true)
  const pairs = toChunks(cases['one very long line of pairs'])
  expect(pairs.every(({ paragraphs }) => paragraphs.every(({ text }) => text.isWellFormed()))).toBe(true)
})

test('the parts of a long paragraph run as the whole does', () => {
  const text = `${'שלום '.repeat(790)}latin words ${'שלום '.repeat(1000)}`
  expect(new Set(toChunks(text).flatMap(({ paragraphs }) => paragraphs.map(one => one.direction)))).toEqual(new Set(['rtl']))
})
