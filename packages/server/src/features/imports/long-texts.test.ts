/** Texts of a megabyte for which a pattern must not take time that grows with the square of the length. */
import { expect, test } from 'vitest'
import { describeColumns } from './columns.ts'
import { detectFormat } from './tables/detect.ts'
import { toNumber } from './to-value.ts'

const LENGTH = 1_000_000

test.each([
  { text: '12', number: 12 },
  { text: ' -1.5e3 ', number: -1500 },
  { text: '1.', number: 1 },
  { text: '.5', number: 0.5 },
  { text: '.', number: '.' },
  { text: '1e', number: '1e' },
  { text: '9007199254740993', number: '9007199254740993' },
])('$text is read as $number', ({ text, number }) => {
  expect(toNumber(text)).toBe(number)
})

test.each([`${'1'.repeat(LENGTH)}x`, `1.${'1'.repeat(LENGTH)}x`])('a long text of digits is not a number', text => {
  expect(toNumber(text)).toBe(text)
})

test.each([
  { what: 'a link to an image', text: 'https://a.b/c.png', type: 'image' },
  { what: 'a link with parameters', text: 'https://a.b/c.jpeg?d=e.f', type: 'image' },
  { what: 'a link to a page', text: 'https://a.b/c.pngx', type: 'text' },
  { what: 'image data', text: 'data:image/png;base64,AA', type: 'image' },
  { what: 'a long link with a space', text: `http://a${'.png?'.repeat(LENGTH / 5)} `, type: 'long_text' },
])('$what is of the kind $type', ({ text, type }) => {
  expect(describeColumns(['a'], [{ a: text }])).toMatchObject([{ type }])
})

test.each([
  { what: 'objects in lines', text: '{"a":1}  \n\n {"a":2}', format: 'jsonl' },
  { what: 'objects in one line', text: '{"a":1}  {"a":2}', format: 'json' },
  { what: 'an object and many lines', text: `{}${'\n'.repeat(LENGTH)}`, format: 'json' },
])('$what is $format', ({ text, format }) => {
  expect(detectFormat('a', Buffer.from(text))).toBe(format)
})
