/** Tests for which visits the kept record is shown. */
import { beforeEach, expect, test, vi } from 'vitest'
import { createItems } from '../storage/items.ts'
import { storeLastUserId } from '../storage/last-user.ts'
import { type FirstRecord, findKeptRecord, keepFirstRecord } from './first-record.ts'

const ID = '0193a0b0-0000-7000-8000-000000000001'
const PATH = `/dataset/${ID}/annotation-mode`
const record = (text: string): FirstRecord => ({
  userId: 'anna',
  dataset: { id: ID, name: 'd', workspace: 'w' },
  texts: [{ title: 'A', text }],
})

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
  storeLastUserId('anna')
  return () => vi.unstubAllGlobals()
})
const keep = (search = '', text = 'first') => keepFirstRecord(createItems('anna'), record(text), search)

test('the record that was kept for this URL', () => {
  keep()
  expect(findKeptRecord(PATH, '')).toEqual(record('first'))
  expect(findKeptRecord(PATH, '?page=1&status=pending')).toEqual(record('first'))
  expect(findKeptRecord(`/base/dataset/${ID}`, '')).toEqual(record('first'))
})

test.each([
  { why: 'another position', search: '?page=2' },
  { why: 'another queue', search: '?status=draft' },
  { why: 'a search', search: '?search=x' },
  { why: 'a record in the URL', search: '?record=x' },
  { why: 'the bulk view', search: '?page=1~10' },
])('none for $why, and none is kept for it', ({ search }) => {
  keep()
  expect(findKeptRecord(PATH, search)).toBeNull()
  keep(search)
  if (!/page=2|status/.test(search)) expect(createItems('anna').read('first-record')).toBeNull()
})

test('none for another dataset', () => {
  keep()
  expect(findKeptRecord('/dataset/0193a0b0-0000-7000-8000-000000000002', '')).toBeNull()
})

test('none after a day, nor before it was kept', () => {
  keep()
  const [now, day] = [Date.now(), 24 * 60 * 60_000]
  expect(findKeptRecord(PATH, '', now + day - 1_000)).not.toBeNull()
  expect(findKeptRecord(PATH, '', now + day + 1_000)).toBeNull()
  expect(findKeptRecord(PATH, '', now - day)).toBeNull()
})

test('a longer record is not kept, and removes the previous one', () => {
  keep()
  keep('', 'x'.repeat(19_999))
  expect(findKeptRecord(PATH, '')).not.toBeNull()
  keep('', 'x'.repeat(20_000))
  expect(findKeptRecord(PATH, '')).toBeNull()
})

test.each([{ next: 'ben' }, { next: null }])('is deleted when $next signs in instead', ({ next }) => {
  keep()
  storeLastUserId(next)
  expect(findKeptRecord(PATH, '')).toBeNull()
  storeLastUserId('anna')
  expect(findKeptRecord(PATH, '')).toBeNull()
})

test('stays when the same user signs in again', () => {
  keep()
  storeLastUserId('anna')
  expect(findKeptRecord(PATH, '')).not.toBeNull()
})

test.each(['nonsense', '[]', '{"texts":[]}', '1'])('ignores %s in the storage', text => {
  createItems('anna').set('first-record', text)
  expect(findKeptRecord(PATH, '')).toBeNull()
})
