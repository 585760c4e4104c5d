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
  'long paragraphs': `${'word '.repeat(500)}\n\n`.repeat(80),
}

test.each(Object.entries(cases))('%s is the same text when put together', (_, text) => {
  expect(toChunks(text).flatMap(({ paragraphs }) => paragraphs).join('')).toBe(text)
})

test('a long text has many chunks, none of them large', () => {
  const chunks = toChunks(cases['very many short lines'])
  expect(chunks.length).toBeGreaterThan(50)
  expect(Math.max(...chunks.map(({ paragraphs }) => paragraphs.length))).toBeLessThanOrEqual(60)
})
