/** The window as an immutable value: each step, and the requests that the window needs next. */
import type { DatasetRecord } from '@postil/domain/records'
import { describe, expect, test } from 'vitest'
import {
  appended,
  broughtBack,
  countLeft,
  currentOf,
  dropped,
  EMPTY,
  inserted,
  needsAhead,
  needsBehind,
  nextOffset,
  opened,
  positionOf,
  prepended,
  putOff,
  type QueueItem,
  type QueuePage,
  type RecordWindow,
  removed,
  renewed,
  type Step,
  serverPositionOf,
  stepped,
  turnedTo,
} from './record-window.ts'

/** The item `b!` has left the server's list. */
const item = (name: string): QueueItem => ({
  ...{ record: { id: name.replace('!', '') } as DatasetRecord, score: null, highlights: null },
  ...{ response: null, hasLeft: name.endsWith('!') },
})
const items = (names: string) => (names === '' ? [] : names.split(' ').map(item))
const page = (names: string, total: number): QueuePage => ({ items: items(names), size: items(names).length, total })
const window = (names: string, more: Partial<RecordWindow> = {}): RecordWindow => ({ ...EMPTY, items: items(names), ...more })
const idsOf = (list: readonly QueueItem[]) => list.map(({ record }) => record.id).join(' ')
const shown = (given: RecordWindow | null) => given && `${idsOf(given.items)} @${given.index}`
const numbered = (count: number, mark = '') => Array.from({ length: count }, (_, i) => `r${i}${mark}`).join(' ')

describe('opening', () => {
  test.each([
    { names: 'a b c', start: 0, position: 0, total: 3, index: 0, end: 'swept' },
    { names: 'a b c', start: 0, position: 2, total: 9, index: 2, end: 'open' },
    { names: 'a b c', start: 4, position: 6, total: 7, index: 2, end: 'reached' },
    { names: 'a b c', start: 4, position: 99, total: 7, index: 2, end: 'reached' },
    { names: '', start: 0, position: 5, total: 0, index: 0, end: 'swept' },
  ])('at $position of $total, from $start: index $index, end $end', ({ names, start, position, total, index, end }) => {
    expect(opened(page(names, total), start, position)).toMatchObject({ start, index, total, end })
  })
})

test('newer versions of records replace them where they are', () => {
  const newer = { ...item('b'), record: { id: 'b', status: 'completed' } as DatasetRecord }
  const next = renewed(window('a b! c', { index: 1 }), [newer, item('d')])
  expect(shown(next)).toBe('a b c @1')
  expect(next.items[1]?.record.status).toBe('completed')
})

describe('what is left', () => {
  test.each([
    { names: 'a b c', left: 0, count: 9 },
    { names: 'a! b! c', left: 0, count: 7 },
    { names: 'a! b c', left: 3, count: 5 },
  ])('of 9 with $names here and $left let go: $count', ({ names, left, count }) => {
    expect(countLeft(window(names, { left, total: 9 }))).toBe(count)
  })

  test('does not count a record that was never in the list', () => {
    expect(countLeft(inserted(window('a! b', { total: 9 }), item('x')))).toBe(8)
  })
})

describe('a page', () => {
  test('ahead adds what is not known, here or among the skipped', () => {
    expect(shown(appended(window('a b', { skipped: items('c') }), page('b c d', 9), false))).toBe('a b d @0')
  })

  test('ahead without anything new leaves the list as it is', () => {
    const given = window('a b')
    expect(appended(given, page('a b', 9), false).items).toBe(given.items)
  })

  test('behind keeps the record in hand, and does not bring back what was skipped', () => {
    const next = prepended(window('d e', { start: 3, index: 1, skipped: items('b') }), page('a b c', 9), 0)
    expect([shown(next), next.start]).toEqual(['a c d e @3', 0])
  })

  test.each([
    { end: 'open', isFromStart: true, names: 'c', after: 'swept' },
    { end: 'open', isFromStart: false, names: 'c', after: 'reached' },
    { end: 'reached', isFromStart: false, names: 'c', after: 'reached' },
    { end: 'reached', isFromStart: false, names: 'a', after: 'swept' },
  ] as const)('that is the last, after $end (from the start: $isFromStart), with $names: $after', given => {
    const { end, isFromStart, names, after } = given
    expect(appended(window('a b', { end, isFromStart }), page(names, 3), true).end).toBe(after)
  })
})

describe('what is needed', () => {
  test.each([
    { count: 21, index: 0, more: {}, ahead: false },
    { count: 20, index: 0, more: {}, ahead: true },
    { count: 20, index: 0, more: { end: 'swept' }, ahead: false },
    { count: 20, index: 0, more: { end: 'reached' }, ahead: true },
    { count: 20, index: 0, more: { end: 'reached', start: 1 }, ahead: false },
  ] as const)('$count records, $more: ahead $ahead', ({ count, index, more, ahead }) => {
    expect(needsAhead(window(numbered(count), { index, ...more }))).toBe(ahead)
  })

  test.each([
    { index: 19, start: 1, behind: true },
    { index: 20, start: 1, behind: false },
    { index: 0, start: 0, behind: false },
  ])('at $index from $start: behind $behind', ({ index, start, behind }) => {
    expect(needsBehind(window(numbered(30), { index, start }))).toBe(behind)
  })

  test.each([
    { end: 'open', offset: 12 },
    { end: 'reached', offset: 0 },
  ] as const)('the next page of a list whose end is $end begins at $offset', ({ end, offset }) => {
    expect(nextOffset(window('a! b c', { start: 10, end }))).toBe(offset)
  })
})

describe('a step', () => {
  test.each([
    { step: 1, index: 0, isThrough: false, skipped: '', after: 'a b @1' },
    { step: 1, index: 1, isThrough: false, skipped: '', after: null },
    { step: 1, index: 1, isThrough: true, skipped: '', after: 'a b @2' },
    { step: 1, index: 2, isThrough: true, skipped: '', after: null },
    { step: 1, index: 1, isThrough: false, skipped: 'c', after: 'a b c @2' },
    { step: -1, index: 0, isThrough: false, skipped: '', after: null },
    { step: -1, index: 2, isThrough: false, skipped: '', after: 'a b @1' },
  ])('$step from $index, through $isThrough, skipped [$skipped]: $after', ({ step, index, isThrough, skipped, after }) => {
    expect(shown(stepped(window('a b', { index, skipped: items(skipped) }), step as Step, isThrough))).toBe(after)
  })

  test.each([
    { mark: '', start: 1, left: 0 },
    { mark: '!', start: 0, left: 1 },
  ])('lets go what lies far behind; positions stay (left: "$mark")', ({ mark, start, left }) => {
    const given = window(numbered(50, mark), { index: 40 })
    const next = stepped(given, 1, false)
    expect(next).toMatchObject({ index: 40, start, left })
    expect(next && positionOf(next)).toBe(positionOf(given) + 1)
  })
})

test.each([
  { names: 'a! b c!', index: 2, start: 5, left: 2, position: 10, server: 6 },
  { names: '', index: 0, start: 5, left: 2, position: 0, server: 5 },
])('position $position, on the server $server', ({ names, index, start, left, position, server }) => {
  const given = window(names, { index, start, left })
  expect([positionOf(given), serverPositionOf(given)]).toEqual([position, server])
})

describe('skipping and dropping', () => {
  test.each([
    { names: 'a b', index: 0, skipped: '', after: 'b @0', rest: 'a' },
    { names: 'a b', index: 1, skipped: '', after: 'a b @1', rest: '' },
    { names: 'a', index: 0, skipped: 'c', after: 'c a @0', rest: '' },
    { names: 'a', index: 1, skipped: '', after: 'a @1', rest: '' },
  ])('$names at $index is skipped: $after', ({ names, index, skipped, after, rest }) => {
    const next = putOff(window(names, { index, skipped: items(skipped) }))
    expect([shown(next), idsOf(next.skipped)]).toEqual([after, rest])
  })

  test.each([
    { names: 'a b', index: 0, skipped: '', after: 'b @0', total: 8 },
    { names: 'a', index: 0, skipped: 'c', after: 'c @0', total: 8 },
    { names: 'a', index: 1, skipped: '', after: 'a @1', total: 9 },
  ])('$names at $index is dropped: $after of $total', ({ names, index, skipped, after, total }) => {
    const next = dropped(window(names, { index, skipped: items(skipped), total: 9 }))
    expect([shown(next), next.total]).toEqual([after, total])
  })
})

describe('one record', () => {
  const given = window('a b c d', { index: 2, total: 9 })

  test('is turned to, or is not there', () => {
    expect([shown(turnedTo(given, 'a')), turnedTo(given, 'z')]).toEqual(['a b c d @0', null])
  })

  test('is inserted at the present place as one that has left the list, unless it is there', () => {
    const next = inserted(given, item('z'))
    expect([shown(next), currentOf(next)?.hasLeft]).toEqual(['a b z c d @2', true])
    expect(shown(inserted(given, item('a')))).toBe('a b c d @0')
  })

  test.each([
    { id: 'a', after: 'b c a d @1' },
    { id: 'c', after: 'a b c d @2' },
    { id: 'd', after: 'a b c d @2' },
    { id: 'z', after: 'a b c d @2' },
  ])('$id is brought back: $after', ({ id, after }) => {
    expect(shown(broughtBack(given, id))).toBe(after)
  })

  test.each([
    { id: 'd', after: 'a b c @2', total: 8 },
    { id: 'c', after: 'a b c d @2', total: 9 },
    { id: 'a', after: 'a b c d @2', total: 9 },
    { id: 'z', after: 'a b c d @2', total: 9 },
  ])('$id is removed: $after of $total', ({ id, after, total }) => {
    const next = removed(given, id)
    expect([shown(next), next.total]).toEqual([after, total])
  })
})
