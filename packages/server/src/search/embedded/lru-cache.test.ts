import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LruCache } from './lru-cache.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const passMinutes = (minutes: number) => vi.advanceTimersByTime(minutes * 60_000)

describe('what a thread holds', () => {
  test('is in the order of its last use', () => {
    const held = new LruCache<string, number>()
    for (const [i, key] of ['a', 'b', 'c', 'a'].entries()) held.put(key, i)
    expect(held.entries()).toEqual([
      ['b', 1],
      ['c', 2],
      ['a', 3],
    ])
    expect([held.take('c'), held.take('c'), held.size]).toEqual([2, null, 2])
    held.drop('b')
    expect([held.keys(), held.values()]).toEqual([['a'], [3]])
  })

  test.each([
    { minutes: 9, kept: ['old', 'new'] },
    { minutes: 10, kept: ['new'] },
    { minutes: 13, kept: ['new'] },
    { minutes: 14, kept: [] },
  ])('$minutes minutes after the first use it is: $kept', ({ minutes, kept }) => {
    const held = new LruCache<string, number>()
    held.put('old', 1)
    passMinutes(4)
    held.put('new', 2)
    passMinutes(minutes - 4)
    expect(held.keys()).toEqual(kept)
  })

  test('that comes after all was dropped is dropped again in time', () => {
    const held = new LruCache<string, number>()
    held.put('a', 1)
    passMinutes(60)
    held.put('b', 2)
    passMinutes(9)
    expect(held.keys()).toEqual(['b'])
    passMinutes(2)
    expect(held.keys()).toEqual([])
  })
})
