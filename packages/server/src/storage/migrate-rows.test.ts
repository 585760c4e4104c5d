/** Migrations with content: data that survives a step is unchanged, row by row, and losses are listed before the step. */
import { describe, expect, test } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import type { Param, Queryable } from './database.ts'
import { type Loss, listLosses, NOT_LOST, nameOfLoss } from './losses.ts'
import { listTables, MIGRATIONS, migrate } from './migrate.ts'
import { openSqlite } from './sqlite.ts'

/** More than other unit tests have: all migrations run up and down one by one, and all tables are read between two of them. */
const ALL_STEPS_MS = 90_000

const now = () => '2026-01-05T10:11:12.131415'

type Row = Record<string, unknown>
interface Column {
  name: string
  type: string
}

function listColumns(db: Queryable, table: string): Promise<Column[]> {
  const text =
    db.dialect.name === 'sqlite'
      ? 'select name, lower(type) as type from pragma_table_info(?) order by name'
      : `select column_name as name, data_type as type from information_schema.columns
         where table_schema = current_schema() and table_name = ? order by column_name`
  return db.sql.all<Column>(text, [table])
}

/** Ids start with the name of their table, so that foreign key columns can be filled by column name. */
const PARENTS: Record<string, string> = {
  user_id: 'users',
  workspace_id: 'workspaces',
  dataset_id: 'datasets',
  record_id: 'records',
  job_id: 'bulk_jobs',
  invitation_id: 'invitations',
  invited_by: 'users',
  accepted_by: 'users',
}

function valueFor(table: string, { name, type }: Column, row: number): Param {
  if (name === 'id') return `${table}-${row}`
  const parent = PARENTS[name]
  if (parent) return `${parent}-${row}`
  if (/int/.test(type)) return row
  if (/real|double/.test(type)) return row + 0.5
  if (/blob|bytea/.test(type)) return new Uint8Array([row, 2, 3])
  return name === 'settings' ? '{"type":"rating"}' : `${name} ${row}`
}

/** Inserts two rows into every empty table, parents before children, and fills every null column. */
async function fill(db: Queryable): Promise<void> {
  let waiting = (await listTables(db)).filter(table => table !== 'revisions')
  for (let pass = 0; waiting.length > 0; pass++) {
    const failed: string[] = []
    for (const table of waiting) {
      try {
        await fillTable(db, table)
      } catch (error) {
        // Fails if the parent tables come later in the list; they are filled before the next pass.
        if (pass === 5) throw error
        failed.push(table)
      }
    }
    waiting = failed
  }
}

async function fillTable(db: Queryable, table: string): Promise<void> {
  const columns = await listColumns(db, table)
  if ((await db.sql.all(`select 1 from ${table} limit 1`)).length === 0) {
    const rows = [1, 2].map(row => columns.map(column => valueFor(table, column, row)))
    const names = columns.map(({ name }) => name)
    await db.sql.insertAll(table, names, rows)
  }
  for (const column of columns) {
    await db.sql.run(`update ${table} set "${column.name}" = ? where "${column.name}" is null`, [valueFor(table, column, 1)])
  }
}

async function readAll(db: Queryable): Promise<Map<string, Row[]>> {
  const tables = new Map<string, Row[]>()
  for (const table of await listTables(db)) {
    if (table === 'revisions') continue
    const names = (await listColumns(db, table)).map(({ name }) => `"${name}"`)
    tables.set(table, await db.sql.all<Row>(`select ${names.join(', ')} from ${table} order by ${names.join(', ')}`))
  }
  return tables
}

/** Derived from records, so nothing is lost with it. */
const DERIVED = 'text_segments'

/** Compares only the tables and columns that exist in both. */
function expectEqualRows(before: Map<string, Row[]>, after: Map<string, Row[]>, step: string): void {
  for (const table of before.keys()) {
    const [old, young] = [before.get(table) ?? [], after.get(table)]
    if (!young || table === DERIVED) continue
    expect(young.length, `rows of ${table} after ${step}`).toBe(old.length)
    const shared = Object.keys(old[0] ?? {}).filter(name => name in (young[0] ?? {}))
    const pick = (row: Row) => shared.map(name => row[name])
    expect(young.map(pick).sort(), `${table} after ${step}`).toEqual(old.map(pick).sort())
  }
}

/** Lists the tables and columns of `before` that are missing in `after`, in the format of `listLosses`. */
function missing(before: Map<string, Row[]>, after: Map<string, Row[]>): Loss[] {
  return [...before]
    .flatMap(([table, rows]): Loss[] => {
      const young = after.get(table)
      if (!young && (table === DERIVED || rows.length === 0)) return []
      if (!young) return [{ table, column: null, rows: rows.length }]
      const columns = Object.keys(rows[0] ?? {}).filter(name => !(name in (young[0] ?? {})))
      return columns.map(column => ({ table, column, rows: rows.length }))
    })
    .filter(loss => !NOT_LOST.has(nameOfLoss(loss)))
}

describe('a database with content in every table', () => {
  eachDatabase(db => {
    test('keeps every row that has a place, step by step up and down', { timeout: ALL_STEPS_MS }, async () => {
      await migrate(db(), 'base', now)
      for (const { name } of MIGRATIONS) {
        const before = await readAll(db())
        expect(await listLosses(db(), name)).toEqual([])
        await migrate(db(), name, now)
        expectEqualRows(before, await readAll(db()), `up ${name}`)
        await fill(db())
      }
      for (const rows of (await readAll(db())).values()) expect(rows.length).toBeGreaterThanOrEqual(2)
      for (const position of MIGRATIONS.keys().toArray().reverse()) {
        const target = MIGRATIONS[position - 1]?.name ?? 'base'
        const before = await readAll(db())
        const losses = await listLosses(db(), target)
        await migrate(db(), target, now)
        const after = await readAll(db())
        expectEqualRows(before, after, `down to ${target}`)
        expect(losses, `listed before going down to ${target}`).toEqual(missing(before, after))
      }
      expect(await listTables(db())).toEqual(['revisions'])
      await migrate(db(), 'head', now)
    })

    test('loses the jobs that an older release does not know', async () => {
      const times = { run_at: now(), inserted_at: now(), updated_at: now() }
      for (const name of ['purge-dataset', 'bulk-responses', 'reindex-answers']) {
        const row = { id: name, name, payload: '{}', status: 'queued', attempts: 0, ...times }
        await db().kysely.insertInto('jobs').values(row).execute()
      }
      await migrate(db(), '0001', now)
      expect(await db().sql.column('select name from jobs')).toEqual(['purge-dataset'])
      await migrate(db(), 'head', now)
    })
  })
})

describe('SQLite', () => {
  const open = async () => {
    const db = openSqlite({ path: ':memory:', readonly: false, synchronous: 'normal', busyTimeoutMs: 0, cacheMb: 1 })
    await migrate(db, 'head', now)
    return db
  }

  /** Runs `work` with an additional migration as the newest. */
  async function withMigration(statements: string[], work: () => Promise<void>): Promise<void> {
    const up = async (db: Queryable) => {
      for (const statement of statements) await db.sql.run(statement)
    }
    MIGRATIONS.push({ name: '9999', title: 'for a test', tags: [], up, down: async () => {} })
    try {
      await work()
    } finally {
      MIGRATIONS.pop()
    }
  }

  const REBUILD = ['create table users_new as select * from users', 'drop table users', 'alter table users_new rename to users']
  const isOn = (db: Queryable) => db.sql.column('select foreign_keys from pragma_foreign_keys')

  test('a table that is rebuilt takes nothing else with it', async () => {
    const db = await open()
    await fill(db)
    const before = await readAll(db)
    // Tables that refer to the primary key need a unique index on the new table.
    const statements = [...REBUILD, 'create unique index users_id on users (id)']
    await withMigration(statements, () => migrate(db, 'head', now))
    const after = await readAll(db)
    expect([...after.keys()]).toEqual([...before.keys()])
    expectEqualRows(before, after, 'a rebuilt table')
    expect(await isOn(db)).toEqual([1])
    await db.close()
  })

  test('a step that leaves rows which refer to nothing is undone', async () => {
    const db = await open()
    await fill(db)
    const before = await readAll(db)
    await withMigration(["delete from users where id = 'users-1'"], async () => {
      await expect(migrate(db, 'head', now)).rejects.toThrow(/refer to others that do not exist: .*workspaces_users \(1\)/)
    })
    expect(await readAll(db)).toEqual(before)
    expect(await isOn(db)).toEqual([1])
    await db.close()
  })

  test.each(['head', 'base'])('nothing of the text index of the first version is left at %s', async target => {
    const db = await open()
    await migrate(db, '0009', now)
    for (const id of ['01930000000070008000000000000001', '01930000000070008000000000000002']) {
      const table = `text_${id}`
      await db.sql.run(`create virtual table ${table} using fts5(f0, f1, content='', contentless_delete=1)`)
      await db.sql.run(`create virtual table ${table}_words using fts5vocab('${table}', 'row')`)
      await db.sql.run(`create virtual table ${table}_places using fts5vocab('${table}', 'instance')`)
    }
    await migrate(db, target, now)
    expect((await listTables(db)).filter(name => /^text_[0-9]/.test(name))).toEqual([])
    await db.close()
  })

  test('nothing of counted numbers is left at base', async () => {
    const db = await open()
    await fill(db)
    await migrate(db, 'base', now)
    expect(await db.sql.column("select name from sqlite_master where name not like 'sqlite_%'")).toEqual(['revisions'])
    expect(await db.sql.all('select * from sqlite_sequence')).toEqual([])
    await migrate(db, 'head', now)
    await db.close()
  })
})
