/** Lists of rows and values, which are sent to PostgreSQL as arrays. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import type { Param } from './database.ts'

const COLUMNS = ['no', 'name', 'amount', 'bytes'] as const

eachDatabase(db => {
  beforeAll(async () => {
    const { bytes, double, text } = db().dialect
    await db().sql.run(
      `create table things (no bigint primary key, name ${text}, amount ${double}, bytes ${bytes}, small integer)`,
    )
  })
  beforeEach(async () => {
    await db().sql.run('delete from things')
  })

  const insert = (rows: readonly (readonly Param[])[], onConflict?: string) =>
    db().sql.insertAll('things', COLUMNS, rows, onConflict)
  const listNames = () => db().sql.column<string>('select name from things order by no')
  const countRows = async () => (await db().sql.all('select no from things')).length

  test('values come back as they went in, whatever they are made of', async () => {
    const rows = [
      [1, 'a', 0.1, Uint8Array.of(0, 92, 255)],
      [2, '', -0, new Uint8Array()],
      [3, null, null, null],
      [-5_000_000_000, '{"a,b\\",NULL}', 5e-324, Uint8Array.of(1)],
      [Number.MAX_SAFE_INTEGER, 'é😀\n\u2028', Number.MAX_VALUE, new Uint8Array(3_000).fill(7)],
      [Number.MIN_SAFE_INTEGER, 'NULL', 1e21, null],
      [-1, "'; drop table things; --", -1.5, null],
    ]
    await insert(rows)
    const stored = await db().sql.all<Record<(typeof COLUMNS)[number], Param>>('select no, name, amount, bytes from things')
    const byNo = new Map(stored.map(row => [row.no, row]))
    for (const [no, name, amount, bytes] of rows) {
      const row = byNo.get(no as number)
      expect([row?.name, row?.amount]).toEqual([name, amount === 0 ? row?.amount : amount])
      expect(row?.bytes && [...(row.bytes as Uint8Array)]).toEqual(bytes && [...(bytes as Uint8Array)])
    }
  })

  test.each([0, 1, 2, 3, 1_000, 2_001])('%i rows are inserted, each once', async count => {
    await insert(Array.from({ length: count }, (_, no) => [no, `n${no}`, no / 3, null]))
    expect(await countRows()).toBe(count)
    expect(await listNames()).toEqual(Array.from({ length: count }, (_, no) => `n${no}`))
  })

  test('rows of many megabytes are inserted', async () => {
    const text = 'ä'.repeat(700_000)
    await insert(Array.from({ length: 5 }, (_, no) => [no, text, null, null]))
    expect(await db().sql.all('select no from things where name = ?', [text])).toHaveLength(5)
  })

  test('rows that are there are left alone or changed, as the clause says', async () => {
    const rows = (name: string) => [1, 2, 3, 4].map(no => [no, name, null, null])
    await insert(rows('first').slice(0, 3))
    await insert(rows('second'), 'on conflict do nothing')
    expect(await listNames()).toEqual(['first', 'first', 'first', 'second'])
    await insert(rows('third'), 'on conflict (no) do update set name = excluded.name')
    expect(await listNames()).toEqual(['third', 'third', 'third', 'third'])
  })

  test('all rows are inserted, or none', async () => {
    await insert([[2_000, 'taken', null, null]])
    const rows = Array.from({ length: 2_001 }, (_, no) => [no, '', null, null])
    // SQLite needs an explicit transaction, which use cases always have.
    const insertAll = db().dialect.name === 'sqlite' ? () => db().transaction(() => insert(rows)) : () => insert(rows)
    await expect(insertAll()).rejects.toThrow()
    expect(await countRows()).toBe(1)
  })

  test('a number that is not whole is refused where PostgreSQL would have to cut it', async () => {
    if (db().dialect.name === 'sqlite') return
    await expect(insert([1, 2, 3.5].map(no => [no, '', null, null]))).rejects.toThrow('3.5')
    expect(await countRows()).toBe(0)
  })

  test('lists of values among other values find what they name', async () => {
    await insert(Array.from({ length: 600 }, (_, no) => [no, `n${no % 10}`, no, null]))
    const marks = (count: number) => Array(count).fill('?').join(', ')
    const nos = Array.from({ length: 500 }, (_, no) => no)
    const text = (count: number) =>
      `select no from things where amount >= ? and no in (${marks(count)}) and name in (${marks(2)}) and amount < ? order by no`
    expect(await db().sql.column(text(500), [10, ...nos, 'n1', "n'2", 40])).toEqual([11, 21, 31])
    expect(await db().sql.column(text(1), [10, 12, 'n1', 'n2', 40])).toEqual([12])
    const limited = `select no from things where name not in (?, ?) and no in (${marks(3)}) order by no limit ?`
    expect(await db().sql.column(limited, ['n1', 'n2', 31, 33, 35, 1])).toEqual([33])
    expect(await db().sql.run(`delete from things where no in (${marks(500)})`, nos)).toEqual({ changes: 500 })
    expect(await db().sql.get(`select count(*) as left from things where no in (${marks(2)})`, [1, 555])).toEqual({ left: 1 })
  })

  test('numbers that several ask for at once are each given out once, ascending', async () => {
    await db().sql.run(`create table numbered (no ${db().dialect.autoNumber})`)
    if (db().dialect.name === 'sqlite') return
    const given = await Promise.all(Array.from({ length: 20 }, (_, i) => db().sql.reserveNumbers('numbered', 1 + i * 20)))
    expect(new Set(given.flat()).size).toBe(given.flat().length)
    for (const [i, nos] of given.entries()) {
      expect(nos).toHaveLength(1 + i * 20)
      expect(nos).toEqual(nos.toSorted((a, b) => a - b))
    }
  })
})
