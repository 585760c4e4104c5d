import { expect, test } from 'vitest'
import { metadataHints } from './metadata-hints.ts'

const properties = ['source', 'length', 'tags', 'extra', 'constructor'].map(name => ({ name, title: name.toUpperCase() }))

test.each<[string, Record<string, never> | Record<string, unknown> | null, string[]]>([
  ['none', null, []],
  ['in the order of the dataset', { length: 12, source: 'email' }, ['SOURCE email', 'LENGTH 12']],
  ['a list', { tags: ['a', 'b'] }, ['TAGS a, b']],
  ['empty ones not', { source: '', length: null, tags: [] }, []],
  ['unknown ones not', { other: 'x' }, []],
  ['large numbers in groups', { length: 12345678 }, ['LENGTH 12,345,678']],
  ['a year as it is', { length: 2024 }, ['LENGTH 2024']],
  ['fractions in six digits', { length: 0.123456789, source: 1234.56789 }, ['SOURCE 1234.57', 'LENGTH 0.123457']],
  ['tiny fractions too', { length: 0.00000012345 }, ['LENGTH 0.00000012345']],
  ['a zero too', { length: 0 }, ['LENGTH 0']],
  ['three at most', { source: 'a', length: 1, tags: ['t'], extra: 'e' }, ['SOURCE a', 'LENGTH 1', 'TAGS t']],
])('%s', (_, metadata, lines) => {
  const hints = metadataHints(metadata as Parameters<typeof metadataHints>[0], properties)
  expect(hints.map(({ title, text }) => `${title} ${text}`)).toEqual(lines)
})
