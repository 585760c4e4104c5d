/** Concurrent transactions of two processes. SQLite runs one at a time. */
import { notUnique } from '@postil/domain/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { logChange } from '../events/emit.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { eachDatabase } from '../testing/databases.ts'
import { inProcess } from '../testing/processes.ts'
import { insertHead, readChanges } from './changes.ts'
import type { Database, Queryable } from './database.ts'
import { write } from './write.ts'

let opened: TestContext
beforeAll(async () => {
  opened = await openTestContext()
})
afterAll(() => opened.close())

describe('transactions', () => {
  eachDatabase((db, openAnother) => {
    let other: Database
    beforeAll(async () => {
      other = openAnother()
      await db().sql.run('create table pots (name text primary key, coins integer not null)')
    })
    beforeEach(async () => {
      await db().sql.run('delete from pots')
      await db().sql.run("insert into pots (name, coins) values ('a', 0), ('b', 0)")
    })
    afterAll(() => other.close())

    const addCoin = (tx: Queryable, name: string) => tx.sql.run('update pots set coins = coins + 1 where name = ?', [name])
    const listPots = () => db().sql.all<{ name: string; coins: number }>('select name, coins from pots order by name')
    const fail = (tx: Queryable, code: string) =>
      tx.sql.run(`do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`)

    test('of two processes that wait for each other are both stored', async () => {
      if (db().dialect.name === 'sqlite') return
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let attempts = 0
      const addBoth = (database: Database, names: readonly [string, string], index: number) =>
        database.transaction(async tx => {
          attempts++
          await addCoin(tx, names[0])
          begun[index]?.resolve()
          await Promise.all(begun.map(({ promise }) => promise))
          await addCoin(tx, names[1])
        })
      await Promise.all([addBoth(db(), ['a', 'b'], 0), addBoth(other, ['b', 'a'], 1)])
      expect(await listPots()).toEqual([
        { name: 'a', coins: 2 },
        { name: 'b', coins: 2 },
      ])
      // The transaction that was rolled back may collide with the other one again.
      expect(attempts).toBeGreaterThanOrEqual(3)
    })

    test('that collide with another one run again from their beginning, and are stored and notified once', async () => {
      if (db().dialect.name === 'sqlite') return
      const ctx = inProcess(opened, db())
      await insertHead(db(), 'd', ctx.now())
      const before = opened.notices.length
      let attempts = 0
      const result = await write(ctx, async tx => {
        await addCoin(tx, 'a')
        logChange(tx, { name: 'flag.created', dataset_id: 'd' })
        tx.notices.push({ name: 'many-changes', dataset_id: 'd', user_id: null, data: {} })
        if (++attempts < 3) await fail(tx, attempts === 1 ? '40001' : '23505')
        return attempts
      })
      expect(result).toBe(3)
      expect((await listPots())[0]).toEqual({ name: 'a', coins: 1 })
      expect(await readChanges(db(), 'd', 0, 10)).toMatchObject({ kind: 'changes', changes: [{ change_no: 1 }] })
      expect(opened.notices.length - before).toBe(1)
    })

    test.each([
      { code: '40001', attempts: 5 },
      { code: '40P01', attempts: 5 },
      { code: '23505', attempts: 5 },
      { code: '23503', attempts: 5 },
      // A check constraint fails regardless of concurrent transactions.
      { code: '23514', attempts: 1 },
      // The outcome of the transaction is unknown.
      { code: '40003', attempts: 1 },
    ])('that always fail with $code are given up after $attempts attempts', async ({ code, attempts }) => {
      if (db().dialect.name === 'sqlite') return
      let count = 0
      const story = async (tx: Queryable) => {
        count++
        await addCoin(tx, 'a')
        await fail(tx, code)
      }
      await expect(db().transaction(story)).rejects.toMatchObject({ code })
      expect(count).toBe(attempts)
      expect((await listPots())[0]).toEqual({ name: 'a', coins: 0 })
    })

    test('that are refused by a rule of ours are not run again', async () => {
      let count = 0
      const refused = db().transaction(async tx => {
        count++
        await addCoin(tx, 'a')
        throw notUnique('taken')
      })
      await expect(refused).rejects.toMatchObject({ code: 'not_unique' })
      expect(count).toBe(1)
      expect((await listPots())[0]).toEqual({ name: 'a', coins: 0 })
    })

    test('read what was committed while they waited, whatever isolation level is the default', async () => {
      if (db().dialect.name === 'sqlite') return
      await db().sql.run("alter database postgres set default_transaction_isolation = 'serializable'")
      const strict = openAnother()
      try {
        const isolation = await strict.transaction(async tx => {
          await tx.sql.get('select 1')
          await addCoin(db(), 'a')
          return tx.sql.all('select current_setting(?) as isolation, coins from pots where name = ?', [
            'transaction_isolation',
            'a',
          ])
        })
        expect(isolation).toEqual([{ isolation: 'read committed', coins: 1 }])
      } finally {
        await strict.close()
        await db().sql.run('alter database postgres reset default_transaction_isolation')
      }
    })

    test('keep what they remember to themselves until they are committed', async () => {
      db().cache.set('x', 'before')
      const seen: unknown[] = []
      await db().transaction(async tx => {
        tx.cache.set('x', 'changed')
        seen.push(tx.cache.get('x'))
        // SQLite runs one transaction at a time, and the connection has no other user.
        if (db().dialect.name === 'postgres') seen.push(db().cache.get('x'))
      })
      seen.push(db().cache.get('x'))
      expect(seen).toEqual(db().dialect.name === 'postgres' ? ['changed', 'before', 'changed'] : ['changed', 'changed'])
    })

    test('forget what they remember if they are undone', async () => {
      const undone = db().transaction(async tx => {
        tx.cache.set('y', 'changed')
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(db().cache.get('y')).toBeUndefined()
    })
  })
})

describe('work that one process does alone', () => {
  eachDatabase((db, openAnother) => {
    test('does not overlap with that of another, also after a failure', async () => {
      if (db().dialect.name === 'sqlite') return
      const processes = [db(), openAnother(), openAnother()]
      let running = 0
      const overlaps: number[] = []
      const works = processes.map((process, index) =>
        process.alone(async () => {
          overlaps.push(++running)
          await process.sql.get('select pg_sleep(0.02)')
          running--
          if (index === 0) throw new Error('failed')
          return index
        }),
      )
      const results = await Promise.allSettled(works)
      expect(results).toMatchObject([{ status: 'rejected' }, { value: 1 }, { value: 2 }])
      expect(overlaps).toEqual([1, 1, 1])
      for (const process of processes.slice(1)) await process.close()
    })
  })
})
