/** Reads that send all their statements in one pipeline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPostgresLeftOut, openTestPostgres } from '../testing/databases.ts'
import { POSTGRES_START_MS } from '../testing/run-postgres.ts'
import type { Database, Queryable } from './database.ts'
import { openPostgres } from './postgres.ts'

if (!isPostgresLeftOut)
  describe('reads at once', () => {
    let opened: Awaited<ReturnType<typeof openTestPostgres>>
    let reader: Database
    beforeAll(async () => {
      opened = await openTestPostgres()
      reader = openPostgres({ url: opened.url, poolSize: 1, readonly: true, isPrepared: true })
      await opened.db.sql.run('create table pots (name text primary key, coins bigint, bytes bytea, weight double precision)')
      await opened.db.sql.run("insert into pots values ('a', 1, '\\x00ff', 0.1), ('b', null, null, null)")
    }, POSTGRES_START_MS)
    afterAll(async () => {
      await reader.close()
      await opened.close()
    })

    const COINS = 'select coins from pots where name = ?'
    const coinsOf = async (db: Queryable, name: string) => (await db.sql.get<{ coins: number }>(COINS, [name]))?.coins
    const addCoin = () => opened.db.sql.run("update pots set coins = coins + 1 where name = 'a'")

    test('answer what a snapshot answers, with and without prepared statements', async () => {
      const read = (db: Queryable) =>
        Promise.all([
          db.sql.all('select name, coins, bytes, weight from pots where name in (?, ?) order by name', ['a', 'b']),
          db.sql.get('select coins from pots where name = ?', ['none']),
          db.sql.all('select name, ?::int8 as number, ?::text as text from pots order by name limit ?', [7, null, 1]),
          db.sql.column('select name from pots order by name'),
        ])
      const expected = await reader.snapshot(read)
      expect(expected[0]).toEqual([
        { name: 'a', coins: 1, bytes: Buffer.from([0, 255]), weight: 0.1 },
        { name: 'b', coins: null, bytes: null, weight: null },
      ])
      for (let time = 0; time < 3; time++) expect(await reader.readAtOnce(read)).toEqual(expected)
    })

    test('see one snapshot', async () => {
      const wait = (db: Queryable) => db.sql.get('select pg_advisory_xact_lock(5)')
      const read = (db: Queryable) => Promise.all([coinsOf(db, 'a'), wait(db), coinsOf(db, 'a')])
      await reader.readAtOnce(read)
      const reading = await opened.db.transaction(async tx => {
        await wait(tx)
        const result = reader.readAtOnce(read)
        const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted"
        while ((await opened.db.sql.get(waiting)) === undefined);
        await addCoin()
        return { result }
      })
      const [before, , after] = await reading.result
      expect(after).toBe(before)
      expect(await reader.readAtOnce(db => coinsOf(db, 'a'))).toBe((before ?? 0) + 1)
    })

    test('run again in a snapshot if they need the answer of one statement for the next', async () => {
      let runs = 0
      const read = async (db: Queryable) => {
        runs++
        const first = await coinsOf(db, 'a')
        await addCoin()
        return [first, await coinsOf(db, 'a')]
      }
      const [first, second] = await reader.readAtOnce(read)
      expect(runs).toBe(2)
      expect(second).toBe(first)
    })

    test('can be sent before the work that follows, and run again in a snapshot if that asks for more', async () => {
      const sent = { isAnswered: false, asksMore: false, runs: 0 }
      const read = async (db: Queryable) => {
        sent.runs++
        const coins = coinsOf(db, 'a')
        await db.sendNow?.()
        // The result can arrive while this thread is busy or waits for something else.
        if (db.sendNow) await coins.then(() => Object.assign(sent, { isAnswered: true }))
        return [await coins, sent.asksMore ? await coinsOf(db, 'b') : undefined]
      }
      const [coins] = await reader.readAtOnce(read)
      expect(sent).toMatchObject({ isAnswered: true, runs: 1 })
      sent.asksMore = true
      expect(await reader.readAtOnce(read)).toEqual([coins, null])
      expect(sent.runs).toBe(3)
    })

    test('run again in a snapshot if they use the query builder', async () => {
      const read = (db: Queryable) =>
        db.kysely
          .selectFrom('pots' as never)
          .selectAll()
          .execute()
      expect(await reader.readAtOnce(read)).toHaveLength(2)
    })

    test('fail together, and the connection can be used again', async () => {
      const broken = (db: Queryable) => Promise.all([coinsOf(db, 'a'), db.sql.get('select 1 / ?::int as one', [0])])
      for (let time = 0; time < 2; time++) await expect(reader.readAtOnce(broken)).rejects.toThrow('division by zero')
      expect(await reader.readAtOnce(db => coinsOf(db, 'b'))).toBeNull()
      const fixed = (db: Queryable) => Promise.all([coinsOf(db, 'b'), db.sql.get('select 1 / ?::int as one', [1])])
      for (let time = 0; time < 2; time++) expect(await reader.readAtOnce(fixed)).toEqual([null, { one: 1 }])
      await expect(reader.readAtOnce(broken)).rejects.toThrow('division by zero')
      expect(await reader.readAtOnce(fixed)).toEqual([null, { one: 1 }])
    })

    test('run again if the connection is lost', async () => {
      const read = (db: Queryable) => coinsOf(db, 'b')
      await reader.readAtOnce(read)
      await opened.db.sql.run(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query = ?`,
        [COINS.replace('?', '$1')],
      )
      expect(await reader.readAtOnce(read)).toBeNull()
    })

    test('wait for what decides what to read, and are one round trip all the same', async () => {
      let runs = 0
      const read = async (db: Queryable) => {
        runs++
        const first = coinsOf(db, 'a')
        const name = await db.hold?.(new Promise<string>(resolve => setImmediate(resolve, 'b')))
        return Promise.all([first, coinsOf(db, name ?? '')])
      }
      expect(await reader.readAtOnce(read)).toEqual([expect.any(Number), null])
      expect(runs).toBe(1)
    })

    test('keep the connection until everything is answered, also what nobody waits for', async () => {
      let unawaited: Promise<unknown> = Promise.resolve()
      const read = async (db: Queryable) => {
        unawaited = coinsOf(db, 'b')
        throw new Error('refused')
      }
      await expect(reader.readAtOnce(read)).rejects.toThrow('refused')
      expect(await unawaited).toBeNull()
    })

    test('cannot write', async () => {
      const write = (db: Queryable) => db.sql.run("delete from pots where name = 'a'")
      await expect(reader.readAtOnce(write)).rejects.toThrow('read-only transaction')
    })
  })
