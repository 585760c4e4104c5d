import { expect, test } from 'vitest'
import { isOwnHost, toForeignUrl, toHost } from './web-address.ts'

test.each([
  { host: 'postil.example', page: 'postil.example', isOwn: true },
  { host: 'POSTIL.example.', page: 'postil.example', isOwn: true },
  { host: 'localhost', page: '127.0.0.1', isOwn: true },
  { host: '[::1]', page: 'localhost', isOwn: true },
  { host: '127.8.9.1', page: '[::1]', isOwn: true },
  { host: '[::ffff:7f00:1]', page: '127.0.0.1', isOwn: true },
  { host: 'a.localhost', page: 'localhost', isOwn: true },
  { host: 'localhost', page: 'postil.example', isOwn: false },
  { host: 'images.postil.example', page: 'postil.example', isOwn: false },
  { host: '127.example', page: '127.0.0.1', isOwn: false },
])('$host, asked from $page: own $isOwn', ({ host, page, isOwn }) => {
  expect(isOwnHost(host, page)).toBe(isOwn)
})

test.each([
  { text: ' https://a.example/x', href: 'https://a.example/x' },
  { text: 'https:\\\\a.example\\x', href: 'https://a.example/x' },
  { text: 'http:/api/v1/me', href: null },
  { text: 'http:api/v1/me', href: null },
  { text: '//a.example/x', href: null },
  { text: '/x', href: null },
  { text: 'ftp://a.example', href: null },
])('$text leads to $href', ({ text, href }) => {
  expect(toForeignUrl(text)?.href ?? null).toBe(href)
})

test.each([
  { text: 'Images.Example', host: 'images.example' },
  { text: ' https://images.example:8443/a.png ', host: 'images.example:8443' },
  { text: 'images.example:443', host: 'images.example' },
  { text: '*.example', host: null },
  { text: 'a b', host: null },
  { text: "x';script-src", host: null },
  { text: '', host: null },
])('$text names the host $host', ({ text, host }) => {
  expect(toHost(text)).toBe(host)
})
