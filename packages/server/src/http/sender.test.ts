import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { readSender } from './sender.ts'

const read = (headers: IncomingHttpHeaders) => readSender({ headers, socket: new Socket() })
const host = 'postil.example:6900'

describe('a sender', () => {
  test.each<{ headers: IncomingHttpHeaders; foreign: boolean }>([
    { headers: { host }, foreign: false },
    { headers: { host, origin: 'http://postil.example:6900' }, foreign: false },
    { headers: { host: 'POSTIL.example', origin: 'https://postil.example' }, foreign: false },
    { headers: { host, origin: 'http://postil.example' }, foreign: true }, // another port
    { headers: { host, origin: 'https://evil.example' }, foreign: true },
    { headers: { host, origin: 'null' }, foreign: true },
    { headers: { host, origin: '' }, foreign: true },
    {
      headers: { host: 'inner:80', 'x-forwarded-host': 'postil.example, inner', origin: 'https://postil.example' },
      foreign: false,
    },
    { headers: { host: 'inner:80', origin: 'https://postil.example' }, foreign: true }, // a proxy that tells nothing
    { headers: { host, 'sec-fetch-site': 'same-origin' }, foreign: false },
    { headers: { host, 'sec-fetch-site': 'none' }, foreign: false },
    { headers: { host, 'sec-fetch-site': 'same-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'cross-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'same-origin, cross-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'cross-site', origin: 'http://postil.example:6900' }, foreign: true },
    // The browser's word counts where a proxy hides the host that was asked.
    { headers: { host: 'inner', 'sec-fetch-site': 'same-origin', origin: 'https://postil.example' }, foreign: false },
  ])('with $headers is foreign: $foreign', ({ headers, foreign }) => {
    expect(read(headers).isForeign).toBe(foreign)
  })

  test.each([
    { proto: 'https', secure: true },
    { proto: 'HTTPS', secure: true },
    { proto: 'https, http', secure: true },
    { proto: 'http, https', secure: false },
    { proto: 'http', secure: false },
    { proto: '', secure: false },
  ])('whose proxy speaks `$proto` is secure: $secure', ({ proto, secure }) => {
    expect(read({ 'x-forwarded-proto': proto }).isSecure).toBe(secure)
  })

  const secret = 'a'.repeat(43)
  test.each([
    { cookie: `postil_session=${secret}`, has: true },
    { cookie: `theme=dark; postil_session=${secret}; x=y`, has: true },
    { cookie: `postil_session=${secret}; postil_session=other`, has: true },
    { cookie: `postil_session=other; postil_session=${secret}`, has: false },
    { cookie: `not_postil_session=${secret}`, has: false },
    { cookie: `postil_session=${secret}x`, has: false },
    { cookie: `postil_session="${secret}"`, has: false },
    { cookie: 'postil_session=', has: false },
    { cookie: 'postil_session', has: false },
    { cookie: '', has: false },
  ])('with the cookies `$cookie` has a session: $has', ({ cookie, has }) => {
    expect(read({ cookie }).sessionHash !== null).toBe(has)
  })

  test('is known by its browser, cut short', () => {
    expect(read({ 'user-agent': 'x'.repeat(500) }).userAgent).toBe('x'.repeat(200))
    expect(read({ 'user-agent': '' }).userAgent).toBeNull()
    expect(read({}).userAgent).toBeNull()
  })

  test('is never known by what a header says of its address', () => {
    expect(read({ 'x-forwarded-for': '10.0.0.1' }).address).not.toContain('10.0.0.1')
  })
})
