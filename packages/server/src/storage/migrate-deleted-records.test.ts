/** Records that were deleted before their ids were stored: the ids are taken from the log. */
import { describe, expect, test } from 'vitest'
import { packNumbers } from '../lib/packed-numbers.ts'
import { eachDatabase } from '../testing/databases.ts'
import { MIGRATIONS, migrate } from './migrate.ts'

const now = () => '2026-01-05T10:11:12.131415'
const before = MIGRATIONS[MIGRATIONS.findIndex(({ name }) => name === '0016') - 1]?.name ?? ''

describe('ids of deleted records', () => {
  eachDatabase(db => {
    test('are taken from the log, however long it is', async () => {
      await migrate(db(), before, now)
      const heads = [
        ['d1', 700],
        ['d2', 1],
      ] as const
      for (const [id, changeNo] of heads) {
        const columns = '(dataset_id, change_no, records_count, completed_count, last_activity_at)'
        await db().sql.run(`insert into dataset_heads ${columns} values (?, ?, 0, 0, '')`, [id, changeNo])
      }
      const nos = (dataset: string, changeNo: number) =>
        [changeNo * 1_000 + 1, changeNo * 1_000 + 500, 2 ** 40 + changeNo].map(no => (dataset === 'd1' ? no : no + 10_000_000))
      const entries = heads.flatMap(([id, last]) =>
        Array.from({ length: last }, (_, index) => {
          const numbers = nos(id, index + 1)
          const details = JSON.stringify({ record_ids: numbers.map(no => `r${no}`) })
          return [id, index + 1, 'record.deleted', packNumbers(numbers), details, now()]
        }),
      )
      const others = [['d1', 701, 'record.created', packNumbers([7]), null, now()]]
      await db().sql.insertAll(
        'changes',
        ['dataset_id', 'change_no', 'event', 'record_nos', 'details', 'inserted_at'],
        [...entries, ...others],
      )
      await migrate(db(), 'head', now)
      const text = `select d.record_no, d.record_id, h.dataset_id, d.change_no from deleted_records d
        join dataset_heads h on h.no = d.dataset_no order by h.dataset_id, d.change_no, d.record_no`
      const expected = heads.flatMap(([dataset_id, last]) =>
        Array.from({ length: last }, (_, index) =>
          nos(dataset_id, index + 1).map(no => ({ record_no: no, record_id: `r${no}`, dataset_id, change_no: index + 1 })),
        ).flat(),
      )
      expect(await db().sql.all(text)).toEqual(expected)
    })
  })
})
