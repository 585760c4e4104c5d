import { processorMs } from '@postil/domain/testing/processor-time'
import { describe, expect, test } from 'vitest'
import { parseForm } from './form.ts'

const URL_ENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=----limit'
const part = (name: string, value: string) => `------limit\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const parse = (text: string, type: string | null) => parseForm(new TextEncoder().encode(text), type)

describe('a form', () => {
  test.each([
    { type: URL_ENCODED, text: 'username=lena&password=a+%26b%C3%A9', fields: { username: 'lena', password: 'a &bé' } },
    { type: `${URL_ENCODED}; charset=utf-8`, text: 'a=1&a=2&b', fields: { a: '2', b: '' } },
    { type: 'APPLICATION/X-WWW-FORM-URLENCODED', text: 'a=1', fields: { a: '1' } },
    {
      type: MULTIPART,
      text: `${part('username', 'lena')}${part('password', 'b')}------limit--`,
      fields: { username: 'lena', password: 'b' },
    },
    { type: 'multipart/form-data', text: part('a', 'b'), fields: {} },
    { type: MULTIPART, text: 'no form at all', fields: {} },
    { type: 'application/json', text: '{"username":"lena"}', fields: {} },
    { type: null, text: 'a=1', fields: {} },
  ])('of $type: $text', async ({ type, text, fields }) => {
    expect(await parse(text, type)).toEqual(fields)
  })

  test('without a body has no fields', async () => {
    expect(await parseForm(null, URL_ENCODED)).toEqual({})
  })

  test.each([
    { what: 'pairs', make: (count: number) => ({ text: Array(count).fill('a').join('&'), type: URL_ENCODED }) },
    { what: 'parts', make: (count: number) => ({ text: `${part('a', 'b').repeat(count)}------limit--`, type: MULTIPART }) },
  ])('has at most a hundred $what', async ({ make }) => {
    const [right, wrong] = [make(100), make(101)]
    expect(await parse(right.text, right.type)).toHaveProperty('a')
    await expect(parse(wrong.text, wrong.type)).rejects.toThrow(/more than 100 fields/)
  })

  test('of many megabytes of separators is refused at once', async () => {
    const refuse = () => expect(parse('a&'.repeat(16_000_000), URL_ENCODED)).rejects.toThrow(/more than 100 fields/)
    // It took minutes when all pairs were parsed.
    expect(await processorMs(refuse)).toBeLessThan(5_000)
  })
})
