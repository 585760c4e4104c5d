import { describe, expect, test } from 'vitest'
import { createRecordCache } from './record-cache.ts'

const LIMITS = { bytesMax: 10_000, recordBytesMax: 3_000 }
const open = (changeNo = 5) => {
  const cache = createRecordCache(LIMITS)
  return { cache, records: cache.open(changeNo) }
}
/** Returns the numbers of the records that are cached at a change number. */
const listKnown = (records: ReturnType<typeof open>['records'], changeNo: number) =>
  Array.from({ length: 20 }, (_, no) => no).filter(no => records.at(changeNo)?.get(no, 'row') !== undefined)

describe('what is kept of records', () => {
  test('is known at its change number only', () => {
    const { records } = open()
    records.at(5)?.put(1, 'row', 'one', 10)
    expect(records.at(5)?.get(1, 'row')).toBe('one')
    expect(records.at(5)?.get(1, 'responses')).toBeUndefined()
    expect([records.at(4), records.at(6)]).toEqual([null, null])
  })

  test('is forgotten when the log names the record, and the others are known at the new number', () => {
    const { records } = open()
    for (const no of [1, 2, 3]) records.at(5)?.put(no, 'row', no, 10)
    records.suspend()
    records.forget([2, 9])
    records.resume(7)
    expect(listKnown(records, 7)).toEqual([1, 3])
    expect(records.at(5)).toBeNull()
  })

  test('is forgotten at once when settings change', () => {
    const { records } = open()
    records.at(5)?.put(1, 'row', 'one', 10)
    records.suspend()
    records.forgetAll()
    records.resume(6)
    expect(listKnown(records, 6)).toEqual([])
    records.at(6)?.put(1, 'row', 'new', 10)
    expect(records.at(6)?.get(1, 'row')).toBe('new')
  })

  test('does not take what was read before the index moved, neither on its way nor afterwards', () => {
    const { records } = open()
    const early = records.at(5)
    early?.put(1, 'row', 'old', 10)
    records.suspend()
    expect(records.at(5)).toBeNull()
    expect(early?.get(1, 'row')).toBeUndefined()
    records.forget([1])
    early?.put(1, 'row', 'old', 10)
    records.resume(6)
    early?.put(1, 'row', 'old', 10)
    expect(listKnown(records, 6)).toEqual([])
  })

  test('does not count for an index that begins anew', () => {
    const { cache, records } = open()
    records.at(5)?.put(1, 'row', 'one', 10)
    const anew = cache.open(5)
    expect(listKnown(anew, 5)).toEqual([])
    anew.at(5)?.put(1, 'row', 'two', 10)
    records.forget([1])
    expect(anew.at(5)?.get(1, 'row')).toBe('two')
    expect(listKnown(records, 5)).toEqual([])
  })

  test('takes at most its bytes: what was not used for longest goes', () => {
    const { cache, records } = open()
    const known = records.at(5)
    for (let no = 0; no < 5; no++) known?.put(no, 'row', no, 1_500)
    expect([listKnown(records, 5), cache.bytes()]).toEqual([[0, 1, 2, 3, 4], 9_500])
    known?.get(0, 'row')
    known?.put(5, 'row', 5, 1_500)
    // Reading them in the order of their numbers has made 1 the second oldest.
    expect([listKnown(records, 5), cache.bytes()]).toEqual([[0, 2, 3, 4, 5], 9_500])
  })

  test('counts every part once, also if it is put again', () => {
    const { cache, records } = open()
    const known = records.at(5)
    for (const size of [100, 900, 500]) known?.put(1, 'row', size, size)
    known?.put(1, 'responses', [], 0)
    expect(cache.bytes()).toBe(3 * 200 + 500)
    records.forget([1])
    expect(cache.bytes()).toBe(0)
  })

  test('does not have records that are too long', () => {
    const { cache, records } = open()
    const known = records.at(5)
    known?.put(1, 'row', 'short', 100)
    known?.put(1, 'responses', 'long', 2_600)
    known?.put(2, 'row', 'long', 2_601)
    expect([listKnown(records, 5), cache.bytes()]).toEqual([[], 0])
  })
})

test('pages are expected to be known after some that were', () => {
  const { records } = open()
  const known = records.at(5)
  for (let page = 0; page < 3; page++) known?.noteComplete(true)
  expect(known?.isWarm()).toBe(false)
  known?.noteComplete(true)
  expect(known?.isWarm()).toBe(true)
  known?.noteComplete(false)
  expect(known?.isWarm()).toBe(false)
})
