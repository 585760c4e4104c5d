import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createTrustedProxies } from '../lib/addresses.ts'
import { readSender } from './sender.ts'

const read = (headers: IncomingHttpHeaders, remoteAddress = '', trusted: string[] = []) =>
  readSender(
    { headers, socket: Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }) },
    createTrustedProxies(trusted),
  )
const host = 'postil.example:6900'

describe('a sender', () => {
  const behindProxy = { host: 'inner:80', 'x-forwarded-host': 'postil.example, inner', origin: 'https://postil.example' }
  test.each<{ headers: IncomingHttpHeaders; trusted?: string[]; foreign: boolean }>([
    { headers: { host }, foreign: false },
    { headers: { host, origin: 'http://postil.example:6900' }, foreign: false },
    { headers: { host: 'POSTIL.example', origin: 'https://postil.example' }, foreign: false },
    { headers: { host, origin: 'http://postil.example' }, foreign: true }, // another port
    { headers: { host, origin: 'https://evil.example' }, foreign: true },
    { headers: { host, origin: 'null' }, foreign: true },
    { headers: { host, origin: '' }, foreign: true },
    { headers: behindProxy, trusted: ['127.0.0.0/8'], foreign: false },
    { headers: { ...behindProxy, origin: 'http://inner:80' }, trusted: ['127.0.0.0/8'], foreign: true },
    { headers: behindProxy, trusted: ['192.0.2.0/24'], foreign: true },
    { headers: behindProxy, foreign: true }, // anybody can send that header
    { headers: { host: 'inner:80', origin: 'https://postil.example' }, foreign: true }, // a proxy without forwarding headers
    { headers: { host, 'sec-fetch-site': 'same-origin' }, foreign: false },
    { headers: { host, 'sec-fetch-site': 'none' }, foreign: false },
    { headers: { host, 'sec-fetch-site': 'same-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'cross-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'same-origin, cross-site' }, foreign: true },
    { headers: { host, 'sec-fetch-site': 'cross-site', origin: 'http://postil.example:6900' }, foreign: true },
    // The browser's header takes precedence if a proxy hides the requested host.
    { headers: { host: 'inner', 'sec-fetch-site': 'same-origin', origin: 'https://postil.example' }, foreign: false },
  ])('with $headers, with $trusted trusted, is foreign: $foreign', ({ headers, trusted, foreign }) => {
    expect(read(headers, '127.0.0.1', trusted).isForeign).toBe(foreign)
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

  test.each([
    { from: '192.0.2.7', trusted: [], address: '192.0.2.7' },
    { from: '127.0.0.1', trusted: [], address: '127.0.0.1' },
    { from: '127.0.0.1', trusted: ['127.0.0.0/8'], address: '203.0.113.1' },
    { from: '192.0.2.7', trusted: ['127.0.0.0/8'], address: '192.0.2.7' },
    { from: '2001:db8:1:2:3:4:5:6', trusted: [], address: '2001:db8:1:2::/64' },
  ])('at $from, with $trusted trusted, is known by $address', ({ from, trusted, address }) => {
    expect(read({ 'x-forwarded-for': '203.0.113.1' }, from, trusted).address).toBe(address)
  })

  test.each([
    { cookie: `postil_device=${'d'.repeat(22)}.${'s'.repeat(43)}`, has: true },
    { cookie: `postil_session=x; postil_device=${'d'.repeat(22)}.${'s'.repeat(43)}`, has: true },
    { cookie: `postil_device=${'d'.repeat(22)}.${'s'.repeat(44)}`, has: false },
    { cookie: `postil_device=${'d'.repeat(2_000)}.${'s'.repeat(43)}`, has: false },
    { cookie: 'postil_device=.', has: false },
  ])('with the cookies `$cookie` shows a device: $has', ({ cookie, has }) => {
    expect(read({ cookie }).deviceProof !== null).toBe(has)
  })
})
