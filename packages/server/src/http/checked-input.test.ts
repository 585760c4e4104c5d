import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCheckedBytes, toCheckedBytes } from './checked-input.ts'
import { parseJson } from './json.ts'

const parsed = (text: string) => parseJson(new TextEncoder().encode(text))
const copied = (body: unknown) => readCheckedBytes(toCheckedBytes({ params: { id: 'a' }, query: undefined, body })).body

test('what was read is the same in another thread', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), value => {
      const body = JSON.parse(JSON.stringify(value))
      expect(copied(body)).toStrictEqual(body)
    }),
  )
})

test.each([
  '{"__proto__":{"a":1},"constructor":null}',
  '{"2":1,"1":2,"b":3,"a":4}',
  '[1e300,5e-324,0.1,9007199254740991]',
  `${'[{"a":'.repeat(400)}1${'}]'.repeat(400)}`,
])('%#: names, their order, numbers and depth are kept', text => {
  expect(JSON.stringify(copied(parsed(text)))).toBe(JSON.stringify(JSON.parse(text)))
})

test('minus zero stays minus zero', () => {
  expect(copied(parsed('[-0]'))).toStrictEqual([-0])
})
