import type { Id } from '@postil/domain/schema'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { contextOn, createFollowedDataset, type FollowedDataset } from '../../search/source/testing/dataset.ts'
import { aWrite, isRefused } from '../../search/source/testing/writes.ts'
import { deleteSegmentsUpTo, findSegmentBytes, listSegments } from '../../storage/text-segments.ts'
import { openTestContext, type TestContext } from '../../testing/context.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { createRecordsBulk } from '../records/create-bulk.ts'
import { deleteRecords } from '../records/delete.ts'
import { updateRecord } from '../records/update.ts'
import { loadDataset } from './store.ts'
import { mergeStored } from './testing/segments.ts'
import { verifyDataset } from './verify.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

/** Writes, and merges of the segments between two indexes. */
const someSteps = fc.array(
  fc.oneof({ weight: 5, arbitrary: aWrite }, { weight: 1, arbitrary: fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 9 })) }),
  { minLength: 5, maxLength: 30, size: 'max' },
)

describe('verify', () => {
  eachDatabase(db => {
    let ctx: Context
    let followed: FollowedDataset
    let id: Id
    /** Numbers of the records, which are stored in two segments of two. */
    let nos: number[]
    beforeEach(async () => {
      ctx = contextOn(opened, db())
      followed = await createFollowedDataset(ctx)
      id = followed.datasetId
      for (const words of ['green apple', 'yellow pear']) {
        const items = [1, 2].map(i => ({ fields: { body: `${words} ${i}` } }))
        await createRecordsBulk(followed.owner, id, items)
      }
      nos = await db().sql.column<number>(
        'select no from records where dataset_no = (select no from dataset_heads where dataset_id = ?) order by no',
        [id],
      )
    })

    const verify = async () => verifyDataset(ctx, await loadDataset(db(), id), () => {})
    const differences = async () => (await verify()).differences
    const lastSegment = async () => (await listSegments(db(), id)).at(-1)?.segment_no ?? -1
    const change = (text: string, params: (string | number | Uint8Array)[]) => db().sql.run(text, params)

    test('finds nothing in a dataset that is right', async () => {
      expect(await verify()).toEqual({ records: 4, differences: [] })
    })

    test('finds a record with another text than its segment', async () => {
      await change(`update record_fields set fields = '{"body":"green apple 3"}' where record_no in (?, ?)`, [
        nos[1] ?? 0,
        nos[2] ?? 0,
      ])
      expect(await differences()).toEqual([`text of 2 records differs, first record number ${nos[1]}`])
    })

    test('takes the text of the newest segment', async () => {
      const last = await lastSegment()
      const recordId = await db().sql.column<Id>('select id from records where no = ?', [nos[3] ?? 0])
      await updateRecord(followed.owner, recordId[0] ?? '', { fields: { body: 'red plum' } })
      expect(await differences()).toEqual([])
      await change('delete from text_segments where dataset_id = ? and segment_no > ?', [id, last])
      expect(await differences()).toEqual([`text of 1 records differs, first record number ${nos[3]}`])
    })

    test('finds records in no segment', async () => {
      const first = (await listSegments(db(), id)).filter(({ last_record_no }) => last_record_no === nos[1])
      expect(await deleteSegmentsUpTo(db(), id, { last: first.at(-1)?.segment_no ?? -1, limit: 10 })).toBe(first.length)
      expect(await differences()).toEqual([`text of 2 records is missing, first record number ${nos[0]}`])
    })

    test.each([
      ['one changed byte', (bytes: Uint8Array) => bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1), 'checksum'],
      ['a missing byte', (bytes: Uint8Array) => bytes.slice(0, -1), 'bytes instead of'],
      ['no bytes', () => new Uint8Array(), 'Not a text segment'],
      ['other bytes', () => new Uint8Array(100), 'Not a text segment'],
    ])('names a segment with %s, and what is missing without it', async (_name, damage, reason) => {
      const last = await lastSegment()
      await keepOne(last)
      const bytes = new Uint8Array((await findSegmentBytes(db(), id, last)) ?? [])
      await change('update text_segments set bytes = ? where dataset_id = ? and segment_no = ?', [damage(bytes), id, last])
      expect(await differences()).toEqual([
        expect.stringMatching(new RegExp(`^text segment ${last} cannot be used: .*${reason}`)),
        `text of 2 records is missing, first record number ${nos[2]}`,
      ])
    })

    /** Deletes the older segments, because use cases may have stored the same texts before. */
    async function keepOne(last: number): Promise<void> {
      const text = 'delete from text_segments where dataset_id = ? and first_record_no = ? and segment_no < ?'
      await change(text, [id, nos[2] ?? 0, last])
    }

    test.each(['first_record_no = first_record_no + 1', 'last_record_no = last_record_no - 1', 'record_count = 1'])(
      'names a segment whose row says something else than its bytes: %s',
      async assignment => {
        const last = await lastSegment()
        await change(`update text_segments set ${assignment} where dataset_id = ? and segment_no = ?`, [id, last])
        expect((await differences())[0]).toBe(`text segment ${last} cannot be used: Its row names other records than its bytes`)
      },
    )

    test('finds wrong totals', async () => {
      await change('update dataset_heads set records_count = 7, completed_count = 1 where dataset_id = ?', [id])
      expect(await differences()).toEqual(['kept totals are 7 records, 1 completed; counted 4, 0'])
    })

    test('does not mind entries of records that were deleted, nor that a merge removed them', async () => {
      const [recordId = ''] = await db().sql.column<Id>('select id from records where no = ?', [nos[3] ?? 0])
      await deleteRecords(followed.owner, id, recordId)
      expect(await verify()).toEqual({ records: 3, differences: [] })
      await mergeStored(db(), id, 0, 100)
      expect(await verify()).toEqual({ records: 3, differences: [] })
      expect((await listSegments(db(), id)).map(({ record_count }) => record_count)).toEqual([3])
    })

    test('finds nothing after any writes and merges', async () => {
      const isSqlite = db().dialect.name === 'sqlite'
      await fc.assert(
        fc.asyncProperty(someSteps, async steps => {
          followed = await createFollowedDataset(ctx)
          id = followed.datasetId
          for (const step of steps) {
            if (typeof step === 'function') await step(followed).catch(passOverRefused)
            else await mergeStored(db(), id, ...step)
          }
          expect(await differences()).toEqual([])
        }),
        { numRuns: isSqlite ? 40 : 4 },
      )
    })
  })
})

function passOverRefused(error: unknown): void {
  if (!isRefused(error)) throw error
}
