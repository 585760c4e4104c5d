import { expect, test } from 'vitest'
import { toLocalPath } from './local-path.ts'

test.each(['/', '/dataset/1/settings', '/dataset/1?page=2&query=a%20b#x', '/a?to=//evil.example', '/größe', '/a.b/..c'])(
  '%s is a path of this server',
  path => expect(toLocalPath(path)).toBe(path),
)

test.each([
  '',
  'dataset',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  'https://evil.example',
  'https:evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '/\n/evil.example',
  '\n//evil.example',
  ' //evil.example',
  '/\u0000/evil.example',
  '/\u0085/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/a/../../b',
  '/a/%2E%2e/b',
  '/a//b',
  `/${'a'.repeat(1_000)}`,
  undefined,
  null,
  5,
  ['/a'],
])('%j becomes /', given => expect(toLocalPath(given)).toBe('/'))
