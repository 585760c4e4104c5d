import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { logChange } from '../events/emit.ts'
import type { TextDocument } from '../search/engine.ts'
import { openSegment } from '../search/segments/segment.ts'
import { storeSegment } from '../search/source/store-segment.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { insertHead } from './changes.ts'
import { deleteSomeSegments, findSegmentBytes, listSegmentCounts, listSegments, replaceSegments } from './text-segments.ts'
import { write } from './write.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

const document = (recordNo: number, text = `text ${recordNo}`): TextDocument => ({ recordNo, pieces: [[text], null] })
const newSegment = (recordNo: number) => ({
  first_record_no: recordNo,
  last_record_no: recordNo,
  record_count: 1,
  bytes: Uint8Array.of(recordNo, 0, 255),
})

describe('text segments', () => {
  eachDatabase(db => {
    let ctx: Context
    let id: Id
    beforeEach(async () => {
      ctx = { ...opened, db: db() }
      id = ctx.newId()
      await insertHead(db(), id, ctx.now())
    })

    /** Stores a segment together with one or more log entries. */
    const store = (documents: TextDocument[], entries = 1) =>
      write(ctx, async tx => {
        storeSegment(tx, id, documents)
        for (let i = 0; i < entries; i++) logChange(tx, { name: 'flag.created', dataset_id: id })
      })
    const numbers = async () => (await listSegments(db(), id)).map(({ segment_no }) => segment_no)

    test('are stored with the change number of their transaction, and come back as they were', async () => {
      await store([document(7), document(2 ** 40), document(3)], 2)
      await store([document(7, 'other')])
      const segments = await listSegments(db(), id)
      expect(segments).toEqual([
        { segment_no: 2, first_record_no: 3, last_record_no: 2 ** 40, record_count: 3, byte_count: expect.any(Number) },
        { segment_no: 3, first_record_no: 7, last_record_no: 7, record_count: 1, byte_count: expect.any(Number) },
      ])
      const bytes = (await findSegmentBytes(db(), id, 2)) ?? new Uint8Array()
      expect(bytes.length).toBe(segments[0]?.byte_count)
      const { recordNos, fields } = openSegment(bytes)
      expect([...recordNos()]).toEqual([3, 7, 2 ** 40])
      expect(fields.map(({ words }) => words)).toEqual([6, 0])
      expect(await findSegmentBytes(db(), id, 1)).toBeNull()
      expect(await findSegmentBytes(db(), ctx.newId(), 2)).toBeNull()
    })

    test('are not stored by a transaction that fails, nor for no records', async () => {
      const failing = write(ctx, async tx => {
        storeSegment(tx, id, [document(1)])
        logChange(tx, { name: 'flag.created', dataset_id: id })
        throw new Error('refused')
      })
      await expect(failing).rejects.toThrow('refused')
      await store([])
      expect(await numbers()).toEqual([])
    })

    test('need a change to take their number from, and are one for each transaction', async () => {
      const alone = write(ctx, async tx => storeSegment(tx, id, [document(1)]))
      await expect(alone).rejects.toThrow('together with a change')
      const twice = write(ctx, async tx => {
        storeSegment(tx, id, [document(1)])
        storeSegment(tx, id, [document(2)])
      })
      await expect(twice).rejects.toThrow('one text segment')
      expect(await numbers()).toEqual([])
    })

    test('are replaced by the one merged from them, which has the number of the last', async () => {
      for (let no = 1; no <= 4; no++) await store([document(no)])
      expect(await replaceSegments(db(), id, { previousNo: 1, segmentNos: [2, 3], merged: newSegment(9) })).toBe(true)
      expect(await numbers()).toEqual([1, 3, 4])
      expect([...((await findSegmentBytes(db(), id, 3)) ?? [])]).toEqual([9, 0, 255])
      expect(await replaceSegments(db(), id, { previousNo: null, segmentNos: [1, 3], merged: null })).toBe(true)
      expect(await numbers()).toEqual([4])
    })

    test.each([
      { previousNo: 1, segmentNos: [2, 3, 9], why: 'one is gone' },
      { previousNo: 1, segmentNos: [2, 4], why: 'another lies between them' },
      { previousNo: null, segmentNos: [2, 3], why: 'there is one before them' },
      { previousNo: 1, segmentNos: [3, 4], why: 'another lies before them' },
    ])('stay as they are if $why', async ({ previousNo, segmentNos }) => {
      for (let no = 1; no <= 4; no++) await store([document(no)])
      expect(await replaceSegments(db(), id, { previousNo, segmentNos, merged: newSegment(9) })).toBe(false)
      expect(await numbers()).toEqual([1, 2, 3, 4])
    })

    test('stay as they are if the one before them became part of the first', async () => {
      for (let no = 1; no <= 4; no++) await store([document(no)])
      expect(await replaceSegments(db(), id, { previousNo: 1, segmentNos: [2, 3], merged: newSegment(8) })).toBe(true)
      expect(await replaceSegments(db(), id, { previousNo: 2, segmentNos: [3, 4], merged: newSegment(9) })).toBe(false)
      expect([...((await findSegmentBytes(db(), id, 3)) ?? [])]).toEqual([8, 0, 255])
    })

    test('are counted by dataset, if there are several', async () => {
      const other = ctx.newId()
      await insertHead(db(), other, ctx.now())
      await write(ctx, async tx => {
        storeSegment(tx, other, [document(1)])
        logChange(tx, { name: 'flag.created', dataset_id: other })
      })
      for (let no = 1; no <= 3; no++) await store([document(no)], 2)
      const counts = await listSegmentCounts(db())
      expect(counts.filter(({ dataset_id }) => [id, other].includes(dataset_id))).toEqual([
        { dataset_id: id, segment_count: 3, last_segment_no: 6 },
      ])
    })

    test('are deleted in pieces, those of other datasets stay', async () => {
      for (let no = 1; no <= 3; no++) await store([document(no)])
      const other = ctx.newId()
      await insertHead(db(), other, ctx.now())
      await write(ctx, async tx => {
        storeSegment(tx, other, [document(1)])
        logChange(tx, { name: 'flag.created', dataset_id: other })
      })
      expect(await deleteSomeSegments(db(), id, 2)).toBe(2)
      expect(await numbers()).toEqual([3])
      expect(await deleteSomeSegments(db(), id, 2)).toBe(1)
      expect(await listSegments(db(), other)).toHaveLength(1)
    })
  })
})
