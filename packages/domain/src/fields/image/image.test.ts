import { describe, expect, test } from 'vitest'
import { isRefused, refusal } from '../../testing.ts'
import { image } from './image.ts'

const accepted = (value: string) => !isRefused(() => image.checkValue(value, 'pic'))
const padded = (start: string, length: number) => start + 'a'.repeat(length - start.length)

describe('image field', () => {
  test.each([
    { url: 'http://host/', ok: true },
    { url: 'https://host/a.png?size=1#top', ok: true },
    { url: 'HTTPS://host/a.png', ok: true },
    { url: 'http://host:8080/a b.png', ok: true },
    { url: 'http://host', ok: false },
    { url: 'http://host?x=/', ok: false },
    { url: 'http:///a.png', ok: false },
    { url: 'http:a.png', ok: false },
    { url: 'http://ho st/a.png', ok: false },
    { url: 'ftp://host/a.png', ok: false },
    { url: '//host/a.png', ok: false },
    { url: 'a.png', ok: false },
    { url: '', ok: false },
    { url: 'javascript:alert(1)', ok: false },
  ])('address $url -> $ok', ({ url, ok }) => {
    expect(accepted(url)).toBe(ok)
  })

  test.each([
    { url: 'data:image/png;base64,AAAA', ok: true },
    { url: 'DATA:image/png,AAAA', ok: true },
    { url: 'data:image/svg+xml;utf8,<svg/>', ok: true },
    { url: 'data:image/svg;base64,', ok: true },
    { url: 'data:image/webp,a;b', ok: true },
    { url: 'data:image/png;base64', ok: false },
    { url: 'data:image/PNG;base64,AAAA', ok: false },
    { url: 'data:image/bmp;base64,AAAA', ok: false },
    { url: 'data:text/html,image/png', ok: false },
    { url: 'data:,AAAA', ok: false },
    { url: 'data:', ok: false },
  ])('data URL $url -> $ok', ({ url, ok }) => {
    expect(accepted(url)).toBe(ok)
  })

  test('has an address of at most 2038 characters', () => {
    expect(accepted(padded('http://host/', 2038))).toBe(true)
    expect(accepted(padded('http://host/', 2039))).toBe(false)
    expect(accepted(`http://host/${'👍'.repeat(2026)}`)).toBe(true)
  })

  test('has a data URL of at most five million characters', () => {
    expect(accepted(padded('data:image/png,', 5_000_000))).toBe(true)
    expect(accepted(padded('data:image/png,', 5_000_001))).toBe(false)
  })

  test.each([{ value: {} }, { value: [] }, { value: 3 }])('refuses $value without repeating it', ({ value }) => {
    expect(refusal(() => image.checkValue(value, 'pic'))?.message).toBe('Field `pic` expects a URL as a text')
  })

  test('is never found by text', () => {
    expect(image.toText()).toEqual([])
  })
})
