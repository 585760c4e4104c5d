import { describe, expect, test } from 'vitest'
import { makeWrite } from './testing/outbox-kit.ts'
import { mergeWrites, nextBatch, pauseAfter, type Write } from './write.ts'

const write = (given: Partial<Write>): Write => ({ ...makeWrite('w', 'r', 'submitted', 0), ...given })
const refusal = { kind: 'refused', message: 'no', current: null } as const

describe('a later write to the same record', () => {
  test.each<[string, Partial<Write>, Partial<Write>, Partial<Write> | 'nothing' | 'both']>([
    ['replaces one that was never sent', { status: 'draft' }, { status: 'submitted' }, { status: 'submitted', base: null }],
    [
      'keeps what the earlier one was made upon',
      { base: 'then', responseId: 'x' },
      { base: 'later' },
      { base: 'then', responseId: 'x' },
    ],
    ['that takes a new answer away leaves nothing to send', { base: null }, { status: null }, 'nothing'],
    ['that takes an old answer away is sent', { base: 'then' }, { status: null }, { status: null, base: 'then' }],
    ['comes after one that may have arrived', { tries: 1 }, {}, 'both'],
    ['comes after one that was refused', { refusal }, {}, 'both'],
    ['does not replace one that its tab had not seen', {}, { upon: null }, 'both'],
    ['does not take away one that its tab had not seen', {}, { status: null, upon: null }, 'both'],
  ])('%s', (_, earlier, later, expected) => {
    const merged = mergeWrites(write({ id: 'a', ...earlier }), write({ id: 'b', upon: 'a', ...later }))
    if (typeof expected === 'string') expect(merged).toBe(expected)
    else expect(merged).toMatchObject({ id: 'b', ...expected })
  })
})

test('an answer is taken away on the server too when an earlier one may be there', () => {
  const merged = mergeWrites(write({ id: 'a', upon: 'earlier' }), write({ id: 'b', status: null, upon: 'a' }))
  expect(merged).toMatchObject({ id: 'b', status: null, upon: 'earlier' })
})

describe('what is sent next', () => {
  const ids = (writes: Write[], inFlight: string[] = [], max = 50) =>
    nextBatch(writes, new Set(inFlight), max).map(({ id }) => id)
  const of = (id: string, recordId: string, more: Partial<Write> = {}) => write({ id, recordId, ...more })

  test.each<[string, Write[], string[], string[]]>([
    ['one of each record', [of('a', '1'), of('b', '1'), of('c', '2')], [], ['a', 'c']],
    ['not of a record on its way', [of('a', '1'), of('b', '2')], ['1'], ['b']],
    ['nothing behind a refused one', [of('a', '1', { refusal }), of('b', '1'), of('c', '2')], [], ['c']],
    ['a deletion alone', [of('a', '1', { status: null }), of('b', '2')], [], ['a']],
    ['a deletion after the others', [of('a', '1'), of('b', '2', { status: null }), of('c', '3')], [], ['a', 'c']],
  ])('%s', (_, writes, inFlight, expected) => {
    expect(ids(writes, inFlight)).toEqual(expected)
  })

  test('at most so many', () => {
    expect(ids([of('a', '1'), of('b', '2'), of('c', '3')], [], 2)).toEqual(['a', 'b'])
  })
})

test('pauses double up to half a minute', () => {
  expect([1, 2, 3, 10].map(failures => pauseAfter(failures, 0.5))).toEqual([500, 1000, 2000, 30_000])
})
