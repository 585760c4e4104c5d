import { AUDIT_ACTION_NAMES } from '@postil/domain/audit-log'
import { describe, expect, test } from 'vitest'
import { actions as de } from '../../../i18n/de/audit-actions.ts'
import { actions as en } from '../../../i18n/en/audit-actions.ts'
import { actions as es } from '../../../i18n/es/audit-actions.ts'
import { dateTime } from '../../../i18n/i18n.ts'
import { actions as ja } from '../../../i18n/ja/audit-actions.ts'
import { actionKey, detailLines } from './action-words.ts'

describe.each(Object.entries({ en, de, es, ja }))('in %s', (_, words) => {
  test('every action has its words, and no two have the same', () => {
    expect(Object.keys(words).sort()).toEqual(AUDIT_ACTION_NAMES.map(actionKey).sort())
    expect(new Set(Object.values(words)).size).toBe(AUDIT_ACTION_NAMES.length)
  })
})

const TIME = '2026-11-21T17:17:58.242000'

test.each([
  { details: {}, lines: [] },
  { details: { method: 'session' }, lines: ['method: session'] },
  { details: { count: 3, all: true, none: null }, lines: ['count: 3', 'all: true', 'none: null'] },
  { details: { changed: ['role', 'username'] }, lines: ['changed: role, username'] },
  { details: { workspaces: [] }, lines: ['workspaces: –'] },
  { details: { expires_at: TIME }, lines: [`expires_at: ${dateTime(TIME)}`] },
  { details: { day: '2026-99-99T00:00:00' }, lines: ['day: 2026-99-99T00:00:00'] },
  { details: { role: { from: 'admin', to: 'owner' } }, lines: ['role: admin → owner'] },
  { details: { user: { id: '7', username: 'a' } }, lines: ['user: id: 7, username: a'] },
  { details: { list: [{ a: 1 }] }, lines: ['list: [{"a":1}]'] },
  { details: { '<b>': '<i>' }, lines: ['<b>: <i>'] },
])('details $details are readable', ({ details, lines }) => {
  expect(detailLines(details).map(({ name, text }) => `${name}: ${text}`)).toEqual(lines)
})
