import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { later } from '../lib/clock.ts'
import { appendChanges, insertHead } from '../storage/changes.ts'
import type { HeadChange } from '../storage/heads.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { createChangePruner } from './prune-changes.ts'

const DAY_SECONDS = 86_400
const HOUR_MS = 3_600_000

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext({ SERVICE_CHANGE_LOG_SECONDS: String(2 * DAY_SECONDS) })
})
afterAll(() => opened.close())

describe('the change log is pruned', () => {
  eachDatabase(db => {
    let ctx: Context
    beforeAll(() => {
      ctx = { ...opened, db: db() }
    })
    const addEntries = async (datasetId: string, count: number, ageSeconds: number) => {
      const changes = Array.from({ length: count }, () => ({ event: 'flag.created' as const }))
      const head: HeadChange = { changes, records: 0, completed: 0, activityAt: null }
      await appendChanges(db(), new Map([[datasetId, head]]), { actorId: null, now: later(ctx.now(), -ageSeconds) })
    }
    const listCounts = () =>
      db().sql.all('select dataset_id, count(*) as entries from changes group by dataset_id order by dataset_id')
    const listHeads = () => db().sql.column<string>('select dataset_id from dataset_heads order by dataset_id')

    test('of what is older than the retention period, in pieces, and once an hour', async () => {
      let nowMs = 0
      const pruner = createChangePruner(ctx, () => nowMs)
      const countPieces = async () => {
        let pieces = 1
        while (await pruner.step()) pieces++
        return pieces
      }
      for (const id of ['a', 'b', 'c']) await insertHead(db(), id, ctx.now())
      await addEntries('a', 1_100, 3 * DAY_SECONDS)
      await addEntries('a', 2, DAY_SECONDS)
      await addEntries('b', 1, 3 * DAY_SECONDS)

      expect(await countPieces()).toBe(3)
      expect(await listCounts()).toEqual([{ dataset_id: 'a', entries: 2 }])
      expect(await listHeads()).toEqual(['a', 'b'])

      await addEntries('a', 1, DAY_SECONDS)
      await db().sql.run('update changes set inserted_at = ? where change_no < 1103', ['2026-01-05T10:11:12.131415'])
      nowMs = HOUR_MS - 1
      expect(await pruner.step()).toBe(false)
      expect(await listCounts()).toEqual([{ dataset_id: 'a', entries: 3 }])
      nowMs = HOUR_MS
      expect(await countPieces()).toBe(1)
      expect(await listCounts()).toEqual([{ dataset_id: 'a', entries: 1 }])
      // The dataset of head `b` does not exist, so the head is deleted once it has no entries.
      expect(await listHeads()).toEqual(['a'])
    })

    test('for more datasets than fit into one piece', async () => {
      const ids = Array.from({ length: 250 }, (_, index) => `dataset-${1_000 + index}`)
      for (const id of ids) await insertHead(db(), id, ctx.now())
      await addEntries(ids.at(-1) ?? '', 1, 3 * DAY_SECONDS)
      const pruner = createChangePruner(ctx)
      expect([await pruner.step(), await pruner.step(), await pruner.step()]).toEqual([true, true, false])
      expect(await listCounts()).toEqual([{ dataset_id: 'a', entries: 1 }])
    })
  })
})
