import { toWholeFloats } from '@postil/domain/metadata/whole-floats'
import type { MetadataProperty } from '@postil/domain/metadata-properties'
import { expect, test } from 'vitest'
import { recordJson } from './record-json.ts'
import type { RecordRow } from './store.ts'

const property = (name: string, type: 'float' | 'integer' | 'terms') => ({ name, settings: { type } }) as MetadataProperty

const NAMES = {
  questionIds: new Map(),
  vectorNames: new Map(),
  wholeFloats: toWholeFloats([property('quality', 'float'), property('a"b.*', 'float'), property('length', 'integer')]),
}

const shownMetadata = (metadata: object | null, names = NAMES) => {
  const row = { metadata: metadata && JSON.stringify(metadata), fields: '{}', external_id: null } as RecordRow
  return /"metadata":(.*),"external_id"/.exec(recordJson(row, {}, names))?.[1]
}

test.each([
  [{ quality: 2 }, '{"quality":2.0}'],
  [{ quality: -2, length: 2 }, '{"quality":-2.0,"length":2}'],
  [{ length: 2, quality: 0 }, '{"length":2,"quality":0.0}'],
  [{ quality: 2.5 }, '{"quality":2.5}'],
  [{ quality: 1e20 }, '{"quality":100000000000000000000.0}'],
  [{ quality: 1e21 }, '{"quality":1e+21}'],
  [{ quality: null }, '{"quality":null}'],
  [{ 'a"b.*': 1, 'a"bcd': 1 }, '{"a\\"b.*":1.0,"a\\"bcd":1}'],
  // Texts that look like a property remain unchanged.
  [{ note: ',"quality":2,' }, '{"note":",\\"quality\\":2,"}'],
  [{ note: '{"quality":2}', list: ['quality', ':2'] }, '{"note":"{\\"quality\\":2}","list":["quality",":2"]}'],
  [{ no_quality: 2 }, '{"no_quality":2}'],
  [{}, '{}'],
  [null, 'null'],
])('metadata %j is shown as %s', (metadata, text) => {
  expect(shownMetadata(metadata)).toBe(text)
  if (metadata !== null) expect(JSON.parse(text)).toEqual(metadata)
})

test('without float properties metadata is not searched', () => {
  expect(toWholeFloats([property('quality', 'integer')])).toBeNull()
  expect(shownMetadata({ quality: 2 }, { ...NAMES, wholeFloats: null })).toBe('{"quality":2}')
})

test('a long run of digits takes linear time', () => {
  const metadata = { note: '1'.repeat(2_000_000), quality: 2 }
  const start = performance.now()
  expect(shownMetadata(metadata)?.endsWith('"quality":2.0}')).toBe(true)
  expect(performance.now() - start).toBeLessThan(2_000)
})
