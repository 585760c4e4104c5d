import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { emitRecords, logChange } from '../events/emit.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { inProcess, untilWaiting } from '../testing/processes.ts'
import { appendChanges, type Change, deleteHead, deleteOldChanges, insertHead, listLogsAfter, readChanges } from './changes.ts'
import type { Database, Queryable } from './database.ts'
import { addToCounts, type HeadChange, touchActivity } from './heads.ts'
import { write } from './write.ts'

const TIME = '2026-01-05T10:11:12.131415'
const LATER = '2026-01-06T10:11:12.131415'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

async function readAll(db: Queryable, id: Id, after = 0): Promise<Change[]> {
  const read = await readChanges(db, id, after, 1_000)
  if (read.kind !== 'changes') throw new Error('The follower must start from the tables')
  return read.changes
}

const numbersOf = (changes: readonly Change[]) => changes.map(({ change_no }) => change_no)
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
const entry = (): HeadChange => ({ changes: [{ event: 'flag.created' }], records: 0, completed: 0, activityAt: null })
const headOf = (db: Queryable, id: Id) => db.sql.get('select * from dataset_heads where dataset_id = ?', [id])

describe('the change log', () => {
  eachDatabase((db, openAnother) => {
    let ctx: Context
    let other: Database
    let id: Id
    let count = 0
    beforeAll(() => {
      ctx = inProcess(opened, db())
      other = openAnother()
    })
    afterAll(() => other.close())
    const aLog = async () => {
      id = `dataset-${count++}`
      await insertHead(db(), id, TIME)
      return id
    }
    const append = (queryable: Queryable, now = TIME) =>
      appendChanges(queryable, new Map([[id, entry()]]), { actorId: null, now })

    test('holds one entry per event, in order, and moves totals and activity with it', async () => {
      await aLog()
      const rows = [7, 3, 2 ** 40].map(no => ({ no, id: `r${no}` }))
      await write(ctx, async tx => {
        tx.actorId = 'ann'
        emitRecords(tx, 'record.created', id, rows)
        emitRecords(tx, 'record.completed', id, [])
        emitRecords(tx, 'record.deleted', id, rows.slice(0, 1))
        addToCounts(tx, id, { records: 3, completed: 2 })
        addToCounts(tx, id, { records: -1, completed: 0 })
        touchActivity(tx, id, LATER)
      })
      await write(ctx, async tx => logChange(tx, { name: 'settings.updated', dataset_id: id, details: { settings: 'fields' } }))
      const inserted_at = expect.stringMatching(/^\d{4}-/)
      expect(await readAll(db(), id)).toEqual([
        { change_no: 1, event: 'record.created', record_nos: [3, 7, 2 ** 40], details: null, actor_id: 'ann', inserted_at },
        {
          change_no: 2,
          event: 'record.deleted',
          record_nos: [7],
          details: { record_ids: ['r7'] },
          actor_id: 'ann',
          inserted_at,
        },
        {
          change_no: 3,
          event: 'settings.updated',
          record_nos: [],
          details: { settings: 'fields' },
          actor_id: null,
          inserted_at,
        },
      ])
      const head = { change_no: 3, records_count: 2, completed_count: 2, last_activity_at: LATER }
      expect(await headOf(db(), id)).toMatchObject({ dataset_id: id, ...head })
    })

    test('is not written by a story that fails, and leaves no gap', async () => {
      await aLog()
      await append(db())
      const failing = write(ctx, async tx => {
        logChange(tx, { name: 'flag.created', dataset_id: id })
        throw new Error('refused')
      })
      await expect(failing).rejects.toThrow('refused')
      const undone = db().transaction(async tx => {
        await append(tx)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      await append(db())
      expect(numbersOf(await readAll(db(), id))).toEqual([1, 2])
    })

    test('refuses entries of a dataset that has none', async () => {
      await expect(write(ctx, async tx => logChange(tx, { name: 'flag.created', dataset_id: 'nothing' }))).rejects.toThrow(
        'Dataset nothing has no head',
      )
    })

    test('is read in pages', async () => {
      await aLog()
      for (let i = 0; i < 5; i++) await append(db())
      const page = async (after: number, limit: number) => {
        const read = await readChanges(db(), id, after, limit)
        return read.kind === 'changes' ? numbersOf(read.changes) : read.kind
      }
      expect(await page(0, 2)).toEqual([1, 2])
      expect(await page(2, 2)).toEqual([3, 4])
      expect(await page(4, 2)).toEqual([5])
      expect(await page(5, 2)).toEqual([])
    })

    test('forgets its oldest entries, and says so to those who have not read them', async () => {
      await aLog()
      // The third was written by a clock that was ahead, so the entries after it stay too.
      for (const time of [TIME, TIME, LATER, TIME]) await append(db(), time)
      const prune = (limit: number, before = LATER) => deleteOldChanges(db(), id, { before, limit })
      const kindAfter = async (after: number) => (await readChanges(db(), id, after, 10)).kind

      expect(await prune(1)).toBe(1)
      expect(await prune(5)).toBe(1)
      expect(await prune(5)).toBe(0)
      expect(await Promise.all([0, 1, 2, 3, 4].map(kindAfter))).toEqual(['rebuild', 'rebuild', 'changes', 'changes', 'changes'])
      expect(numbersOf(await readAll(db(), id, 2))).toEqual([3, 4])

      expect(await prune(5, '9')).toBe(2)
      expect(await Promise.all([3, 4].map(kindAfter))).toEqual(['rebuild', 'changes'])
      // A follower is ahead of the log after a restore from a backup; the second log belongs to an unknown dataset.
      expect(await kindAfter(5)).toBe('rebuild')
      expect((await readChanges(db(), 'nothing', 0, 10)).kind).toBe('rebuild')
    })

    test('is deleted with its last entry', async () => {
      await aLog()
      const age = async () => (await listLogsAfter(db(), '', 1_000)).find(log => log.dataset_id === id)
      expect(await age()).toEqual({ dataset_id: id, oldest_at: null, is_deleted: 1 })
      await append(db(), TIME)
      await append(db(), LATER)
      expect(await age()).toEqual({ dataset_id: id, oldest_at: TIME, is_deleted: 1 })
      await deleteHead(db(), id)
      expect(await headOf(db(), id)).toMatchObject({ change_no: 2 })
      await deleteOldChanges(db(), id, { before: '9', limit: 10 })
      await deleteHead(db(), id)
      expect(await headOf(db(), id)).toBeUndefined()
    })

    test('has no gaps and is seen in order, each entry once, in every process, while two processes write', async () => {
      await aLog()
      let isDone = false
      const follow = async (follower: Queryable) => {
        const seen: number[] = []
        for (let isLast = false; !isLast; ) {
          isLast = isDone
          seen.push(...numbersOf(await readAll(follower, id, seen.at(-1) ?? 0)))
          await new Promise(setImmediate)
        }
        return seen
      }
      const writeSome = (process: Context) => async () => {
        for (let i = 0; i < 40; i++) {
          const name = i % 2 === 0 ? 'flag.created' : 'flag.deleted'
          const story = write(process, async tx => {
            logChange(tx, { name, dataset_id: id, recordNos: [i] })
            addToCounts(tx, id, { records: 1, completed: 0 })
            if (i % 5 === 4) throw new Error('undone')
          })
          await (i % 5 === 4 ? expect(story).rejects.toThrow('undone') : story)
        }
      }
      const following = [db(), other].map(follow)
      await each(db(), [ctx, inProcess(ctx, other), ctx].map(writeSome))
      isDone = true
      expect(await Promise.all(following)).toEqual([upTo(96), upTo(96)])
      expect(await headOf(db(), id)).toMatchObject({ change_no: 96, records_count: 96 })
    })

    test('of two datasets is written by several without waiting for each other', async () => {
      const [one, two] = [await aLog(), await aLog()]
      const writeBoth = (first: Id, second: Id, database: Database) => async () => {
        for (let i = 0; i < 25; i++) {
          await write(inProcess(ctx, database), async tx => {
            for (const dataset_id of [first, second]) logChange(tx, { name: 'flag.created', dataset_id })
          })
        }
      }
      await each(db(), [writeBoth(one, two, db()), writeBoth(two, one, other), writeBoth(one, two, other)])
      for (const dataset of [one, two]) expect(numbersOf(await readAll(db(), dataset))).toEqual(upTo(75))
    })

    test.each([
      { ends: 'is committed', numbers: [1, 2] },
      { ends: 'is undone', numbers: [1] },
    ])('gives the next number only when the transaction before it $ends', async ({ ends, numbers }) => {
      if (db().dialect.name === 'sqlite') return
      await aLog()
      const gate = Promise.withResolvers<void>()
      const appended = Promise.withResolvers<void>()
      const first = db().transaction(async tx => {
        await append(tx, TIME)
        appended.resolve()
        await gate.promise
        if (ends === 'is undone') throw new Error(ends)
      })
      await appended.promise
      let hasCommitted = false
      const second = other
        .transaction(tx => append(tx, LATER))
        .then(() => {
          hasCommitted = true
        })
      await untilWaiting(db())
      expect(await readAll(db(), id)).toEqual([])
      expect(hasCommitted).toBe(false)
      gate.resolve()
      await Promise.allSettled([first])
      await second
      const changes = await readAll(db(), id)
      expect(numbersOf(changes)).toEqual(numbers)
      expect(changes.at(-1)?.inserted_at).toBe(LATER)
    })
  })
})

/** Runs the functions concurrently, each on its own connection. With SQLite, one thread writes, one transaction at a time. */
async function each(db: Database, works: (() => Promise<void>)[]): Promise<void> {
  if (db.dialect.name === 'postgres') await Promise.all(works.map(work => work()))
  else for (const work of works) await work()
}
