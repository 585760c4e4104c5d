import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rememberVectorTexts, toNumbersText } from './vector-texts.ts'

interface Body {
  items: { vectors: Record<string, number[]> }[]
}

/** Returns the remembered text of a vector, or its numbers serialized again. */
function textOf(text: string, pick: (body: Body) => number[] | undefined): string {
  const body = JSON.parse(text) as Body
  rememberVectorTexts(text, body)
  return toNumbersText(pick(body) ?? [])
}

describe('the text of a vector', () => {
  test.each([
    ['{"items":[{"vectors":{"v":[1.0,2e0,-0.50]}}]}', '[1.0,2e0,-0.50]'],
    ['{ "items" : [ { "fields" : {"text":"a"}, "vectors" : { "v" : [ 1 , 2 ] } } ] }', '[ 1 , 2 ]'],
    ['{"items":[{"fields":{"text":"\\"vectors\\":{\\"v\\":[9]}"},"vectors":{"v":[1.0]}}]}', '[1.0]'],
    ['{"items":[{"metadata":{"vectors":{"v":[9.0]}},"vectors":{"v":[1.0]}}]}', '[1.0]'],
    ['{"items":[{"vectors":{"v":[9.0]},"vectors":{"v":[1.0]}}]}', '[1.0]'],
    ['{"items":[{"vectors":{"v":[9.0]}}],"items":[{"vectors":{"v":[1.0]}}]}', '[1.0]'],
    ['{"items":[{"vectors":{"v":[9.0]},"v\\u0065ctors":{"v":[1]}}]}', '[1]'],
    ['{"items":[{"fields":{"c:\\\\":"a"},"vectors":{"v":[1.0]}}]}', '[1]'],
    ['{"items":[{"fields":{"text":"c:\\\\"},"vectors":{"v":[1.0]}}]}', '[1.0]'],
    ['{"vectors":{"v":[9.0]},"items":[{"vectors":{"v":[1.0]}}]}', '[1.0]'],
  ])('of %s is %s', (text, expected) => {
    expect(textOf(text, body => body.items[0]?.vectors.v)).toBe(expected)
  })

  test('is that of its own item', () => {
    const text = '{"items":[{"vectors":{"a":[1.0],"b":[2.0]}},{"fields":{}},{"vectors":{"a":[3.0]}}]}'
    expect(textOf(text, body => body.items[0]?.vectors.b)).toBe('[2.0]')
    expect(textOf(text, body => body.items[2]?.vectors.a)).toBe('[3.0]')
  })

  test('stands for the same numbers, whatever else a body holds', () => {
    const vectors = fc.dictionary(fc.string(), fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })))
    const item = fc.record({ fields: fc.object(), metadata: fc.jsonValue(), vectors }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.array(item), fc.nat(2), (items, indent) => {
        const text = JSON.stringify({ before: items, items }, null, indent)
        const body = JSON.parse(text) as { items: { vectors?: Record<string, number[]> }[] }
        rememberVectorTexts(text, body)
        for (const { vectors = {} } of body.items) {
          for (const numbers of Object.values(vectors)) expect(JSON.parse(toNumbersText(numbers))).toEqual(numbers)
        }
      }),
    )
  })
})
