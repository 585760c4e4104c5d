import { describe, expect, test } from 'vitest'
import { AUDIT_ACTION_NAMES, AUDIT_TARGET_TYPES, cutName, parseAuditCursor, toCursorText, toDetailsJson } from './audit-log.ts'
import type { Json } from './schema.ts'

test('the name of every action begins with the type of its target', () => {
  for (const name of AUDIT_ACTION_NAMES) expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/)
  expect(AUDIT_TARGET_TYPES).toContain('metadata_property')
  expect(new Set(AUDIT_TARGET_TYPES).size).toBe(AUDIT_TARGET_TYPES.length)
})

describe('a cursor', () => {
  test('is read as it was written', () => {
    const cursor = { inserted_at: '2026-11-17T14:00:00.123456', no: 42 }
    expect(parseAuditCursor(toCursorText(cursor))).toEqual(cursor)
  })

  test.each([
    '',
    '42',
    '2026-11-17T14:00:00.123456',
    '2026-11-17T14:00:00.123456-',
    '2026-11-17T14:00:00.123456--1',
    '2026-11-17T14:00:00.123456-1e3',
    '2026-11-17T14:00:00.123456-1 or 1=1',
    `2026-11-17T14:00:00.123456-${'9'.repeat(16)}`,
  ])('%j is refused', text => {
    expect(() => parseAuditCursor(text)).toThrow('`before` must be the value of `next`')
  })
})

describe('details', () => {
  const deep = (levels: number): Json => (levels === 0 ? 'x' : { in: deep(levels - 1) })
  test.each<[what: string, details: Record<string, Json>, json: string]>([
    ['short ones stay', { role: { from: 'admin', to: 'owner' }, count: 3 }, '{"role":{"from":"admin","to":"owner"},"count":3}'],
    ['none', {}, '{}'],
    ['control characters are escaped', { name: 'a\u0000\u001b[31m\n' }, '{"name":"a\\u0000\\u001b[31m\\n"}'],
    ['what is too deep is left out', { a: deep(9) }, '{"a":{"in":{"in":{"in":null}}},"cut":true}'],
  ])('%s', (_what, details, json) => {
    expect(toDetailsJson(details)).toBe(json)
  })

  test.each<[what: string, details: Record<string, Json>]>([
    ['a long text', { text: 'é'.repeat(100_000) }],
    ['a long list', { changed: Array.from({ length: 10_000 }, (_, index) => `property ${index}`) }],
    ['long texts in a long list', { names: Array.from({ length: 100 }, () => 'x'.repeat(500)) }],
    ['many keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key ${index}`, index]))],
    ['texts that grow when they are escaped', { names: Array.from({ length: 100 }, () => '\u0000'.repeat(500)) }],
  ])('%s: is cut to a bounded length, and says so', (_what, details) => {
    const json = toDetailsJson(details)
    expect(json.length).toBeLessThanOrEqual(4_000)
    expect(JSON.parse(json)).toMatchObject({ cut: true })
  })
})

test.each([
  ['ada', 'ada'],
  ['x'.repeat(200), 'x'.repeat(200)],
  ['x'.repeat(201), `${'x'.repeat(199)}…`],
  ['😀'.repeat(150), '😀'.repeat(150)],
  ['😀'.repeat(200), '😀'.repeat(200)],
  ['😀'.repeat(300), `${'😀'.repeat(199)}…`],
])('a name is cut between two characters', (name, expected) => {
  expect(cutName(name)).toBe(expected)
})
