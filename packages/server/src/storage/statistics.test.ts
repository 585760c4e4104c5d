import { expect, test, vi } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import { createStatisticsStep } from './statistics.ts'

eachDatabase(db => {
  test('a table that was filled is analyzed once; others are left alone', async () => {
    if (db().dialect.name === 'sqlite') {
      expect(await createStatisticsStep(db())()).toBe(false)
      return
    }
    await db().sql.run('create table filled (no bigint)')
    await db().sql.run('create table small (no bigint)')
    await db().sql.run('insert into filled select * from generate_series(1, 5000)')
    await db().sql.run('insert into small select * from generate_series(1, 100)')
    const rowsOf = async (table: string) =>
      (await db().sql.get<{ rows: number }>('select reltuples::int as rows from pg_class where relname = ?', [table]))?.rows
    // PostgreSQL publishes the number of changed rows within a second after the transaction.
    await vi.waitUntil(async () => createStatisticsStep(db())(), { timeout: 30_000, interval: 50 })
    expect(await rowsOf('filled')).toBe(5_000)
    expect(await rowsOf('small')).toBe(-1)
    expect(await createStatisticsStep(db())()).toBe(false)
  })
})
