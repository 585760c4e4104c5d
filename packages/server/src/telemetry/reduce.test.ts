import { expect, test } from 'vitest'
import { reduceAcceptLanguage, reduceUserAgent } from './reduce.ts'

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64; annas-laptop) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.85 Safari/537.36'

test.each([
  [undefined, null],
  ['', null],
  ['python-httpx/0.28.1', 'python-httpx/0'],
  ['PYTHON-HTTPX/0.28.1', 'python-httpx/0'],
  [CHROME, 'Chrome/131 Safari/537'],
  ['argilla-sdk/2.8.0 python-httpx/0.28.1 anna@example.com', 'argilla-sdk/2 python-httpx/0'],
  ['curl', 'curl'],
  ['curl/anna', 'curl'],
  ['curl/8anna', 'curl'],
  ['curl/12345.1', 'curl'],
  ['anna/1.0', 'other'],
  ['__proto__/1 constructor/2', 'other'],
  [`${'x'.repeat(500)} curl/8`, 'other'],
  ['curl/1 curl/2 curl/3 curl/4 curl/5', 'curl/1 curl/2 curl/3 curl/4'],
  ['curl/1 curl/1', 'curl/1'],
])('the user agent %j becomes %j', (given, reduced) => {
  expect(reduceUserAgent(given)).toBe(reduced)
})

test.each([
  [undefined, null],
  [' ', null],
  ['de', 'de'],
  ['de-ch,de;q=0.9,EN;q=0.8', 'de-CH, de, en'],
  ['de,en,fr,es', 'de, en, fr'],
  ['*', 'other'],
  ['anna', 'other'],
  ['x-anna,de-x-anna', 'other'],
  ['de-anna', 'other'],
  ['de anna', 'other'],
  [`${' '.repeat(600)}de`, 'other'],
])('the languages %j become %j', (given, reduced) => {
  expect(reduceAcceptLanguage(given)).toBe(reduced)
})
