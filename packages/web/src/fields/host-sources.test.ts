import { expect, test } from 'vitest'
import { isNamed, matchesSource } from './host-sources.ts'

test.each([
  { source: 'https:', url: 'https://a.example/x', isMatch: true },
  { source: 'https:', url: 'http://a.example/x', isMatch: false },
  { source: 'http:', url: 'https://a.example/x', isMatch: true },
  { source: '*', url: 'http://a.example/x', isMatch: true },
  { source: 'https://a.example', url: 'https://a.example/x', isMatch: true },
  { source: 'https://a.example', url: 'https://b.a.example/x', isMatch: false },
  { source: 'a.example', url: 'https://a.example:8443/x', isMatch: false },
  { source: 'https://a.example:8443', url: 'https://a.example:8443/x', isMatch: true },
  { source: 'http://a.example:*', url: 'http://a.example:99/x', isMatch: true },
  { source: 'https://*.a.example', url: 'https://b.a.example/x', isMatch: true },
  { source: 'https://*.a.example', url: 'https://a.example/x', isMatch: false },
  { source: 'http://a.example/m/', url: 'http://a.example/m/1', isMatch: true },
  { source: 'http://a.example/m/', url: 'http://a.example/1', isMatch: false },
])('$source matches $url: $isMatch', ({ source, url, isMatch }) => {
  expect(matchesSource(source, new URL(url))).toBe(isMatch)
})

test.each([
  { source: 'https:', named: false },
  { source: '*', named: false },
  { source: 'https://*', named: false },
  { source: 'https://a.example', named: true },
  { source: '*.a.example', named: true },
  { source: 'a.example:8443', named: true },
])('$source names a host: $named', ({ source, named }) => {
  expect(isNamed(source)).toBe(named)
})
