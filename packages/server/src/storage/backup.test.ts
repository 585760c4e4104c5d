import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { logChange } from '../events/emit.ts'
import { storeSegment } from '../search/source/store-segment.ts'
import { openTestContext } from '../testing/context.ts'
import { openBackupSource } from './backup.ts'
import { insertHead } from './changes.ts'
import { openSqlite } from './sqlite.ts'
import { findSegmentBytes } from './text-segments.ts'
import { write } from './write.ts'

const ctx = await openTestContext()
afterAll(() => ctx.close())

test('a backup has the text segments of every dataset', async () => {
  const id = ctx.newId()
  await insertHead(ctx.db, id, ctx.now())
  await write(ctx, async tx => {
    storeSegment(tx, id, [{ recordNo: 1, pieces: [['hello']] }])
    logChange(tx, { name: 'flag.created', dataset_id: id })
  })
  const path = join(ctx.config.homePath, 'copy.db')
  const source = openBackupSource(ctx.config.databaseFile, 1_000)
  const rows = await source.copyTo(path, () => {})
  source.close()
  expect(rows.get('text_segments')).toBe(1)
  const copy = openSqlite({ path, readonly: true, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1 })
  expect(await findSegmentBytes(copy, id, 1)).toEqual(await findSegmentBytes(ctx.db, id, 1))
  await copy.close()
})
