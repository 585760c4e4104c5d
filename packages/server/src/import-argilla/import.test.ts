import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { loadDataset } from '../features/datasets/store.ts'
import { verifyDataset } from '../features/datasets/verify.ts'
import { findUserByUsername } from '../features/users/store.ts'
import { readChanges } from '../storage/changes.ts'
import { openTestContext, type TestContext } from '../testing/context.ts'
import { isPostgresLeftOut, openTestPostgres } from '../testing/databases.ts'
import { inProcess } from '../testing/processes.ts'
import { createDatabase, POSTGRES_START_MS } from '../testing/run-postgres.ts'
import { type ImportOptions, importArgilla } from './import.ts'
import { openSource } from './source.ts'
import { KINDS, type Tally } from './tally.ts'
import {
  type ArgillaDatabase,
  fillPostgresArgilla,
  idOf,
  makeSqliteArgilla,
  openPostgresArgilla,
  PASSWORD,
} from './testing/argilla-database.ts'

const DATASET = '00000000-0000-0000-0000-000000000014'
const OPTIONS: ImportOptions = {
  dryRun: false,
  skipInvalid: false,
  progress: () => ({ show: () => {}, end: () => {} }),
}

const countsOf = (tally: Tally) => Object.fromEntries(KINDS.map(kind => [kind, tally.count(kind)]))
const digestsOf = (tally: Tally) => KINDS.map(kind => `${kind} ${tally.digest(kind)}`)

async function runImport(ctx: Context, { place }: ArgillaDatabase, options: Partial<ImportOptions> = {}) {
  const source = await openSource(place)
  try {
    return await importArgilla(ctx, source, { ...OPTIONS, ...options })
  } finally {
    await source.close()
  }
}

/** Hashes all rows of the target, except for values that differ between runs. */
async function hashTarget({ db }: Context): Promise<string> {
  const hash = createHash('sha256')
  for (const table of [
    'users',
    'workspaces',
    'workspaces_users',
    'datasets',
    'dataset_heads',
    'changes',
    'questions',
    'audit_entries',
  ]) {
    const rows = await db.sql.all<object>(`select * from ${table}`)
    hash.update(JSON.stringify(rows.map(row => JSON.stringify(row)).sort()))
  }
  for (const table of ['records', 'responses', 'suggestions', 'vectors', 'webhooks', 'text_segments', 'webhook_events']) {
    hash.update(JSON.stringify(await db.sql.all(`select count(*) as rows from ${table}`)))
  }
  return hash.digest('hex')
}

describe.each(isPostgresLeftOut ? ['sqlite'] : ['sqlite', 'postgres'])('an Argilla database on %s', kind => {
  let opened: TestContext
  let postgres: Awaited<ReturnType<typeof openTestPostgres>> | null = null
  /** A filled database, of which every test gets a copy. */
  let filled = ''
  let ctx: Context
  let argilla: ArgillaDatabase
  let folder: string

  beforeAll(async () => {
    if (kind === 'sqlite') return
    filled = await createDatabase()
    await fillPostgresArgilla(filled)
  }, POSTGRES_START_MS)
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
    opened = await openTestContext()
    if (kind === 'postgres') postgres = await openTestPostgres()
    ctx = inProcess(opened, postgres?.db ?? opened.db)
    argilla = postgres ? await openPostgresArgilla(await createDatabase({ copyOf: filled })) : makeSqliteArgilla(folder)
  })
  afterEach(async () => {
    await argilla.close()
    await postgres?.close()
    await opened.close()
    rmSync(folder, { recursive: true })
  })

  test('comes with everything, and what is stored is equal', async () => {
    const { source, target, added, checked } = await runImport(ctx, argilla)
    expect([added, checked.leftOut.count(), checked.notes.lines()]).toEqual([700, 0, []])
    expect(countsOf(source)).toMatchObject({ users: 2, workspaces: 1, memberships: 1, records: 700, responses: 350, vectors: 1 })
    expect(target && digestsOf(target)).toEqual(digestsOf(source))
    expect(opened.events).toEqual([])
    const ann = await findUserByUsername(ctx.db, 'ann')
    expect(ann).toMatchObject({
      role: 'owner',
      inserted_at: '2024-05-01T10:00:00.123456',
      updated_at: '2024-05-02T11:00:00.000000',
    })
    expect(ann?.api_key_hash).toBe(ctx.apiKeys.hash('key-of-ann'))
    expect(await ctx.passwords.fits(ann?.password_hash ?? '', PASSWORD, { source: 'test', isKnown: true })).toBe(true)
    const dataset = await loadDataset(ctx.db, DATASET)
    expect(dataset).toMatchObject({ records_count: 700, completed_count: 350, last_activity_at: '2024-06-01T00:00:00.000000' })
    const log = await readChanges(ctx.db, DATASET, 0, 100)
    const events = log.kind === 'changes' ? log.changes.map(({ event, record_nos }) => `${event} ${record_nos.length}`) : []
    expect(events).toEqual(['dataset.created 0', 'dataset.published 0', 'record.created 500', 'record.created 200'])
    if (!postgres) expect((await verifyDataset(ctx, dataset, () => {})).differences).toEqual([])
  })

  test('is left alone, and a second run changes nothing here', async () => {
    const before = 'file' in argilla.place ? readFileSync(argilla.place.file) : null
    await runImport(ctx, argilla)
    const first = await hashTarget(ctx)
    const again = await runImport(ctx, argilla)
    expect(again.added).toBe(0)
    expect(again.target && digestsOf(again.target)).toEqual(digestsOf(again.source))
    expect(await hashTarget(ctx)).toBe(first)
    if ('file' in argilla.place) expect(readFileSync(argilla.place.file).equals(before ?? Buffer.alloc(0))).toBe(true)
    expect(readdirSync(folder)).toEqual(postgres ? [] : ['argilla.db'])
  })

  test('is imported to its end after a run that was stopped', async () => {
    let batches = 0
    const stop = () => {
      if (++batches === 3) throw new Error('stopped')
    }
    const stopped = runImport(ctx, argilla, { progress: () => ({ show: stop, end: () => {} }) })
    await expect(stopped).rejects.toThrow('stopped')
    const done = await loadDataset(ctx.db, DATASET)
    expect(done.records_count).toBe(500)
    const { added, source, target } = await runImport(ctx, argilla)
    expect(added).toBe(200)
    expect(target && digestsOf(target)).toEqual(digestsOf(source))
    expect(await loadDataset(ctx.db, DATASET)).toMatchObject({ records_count: 700, completed_count: 350 })
  })

  test('is only counted by a dry run', async () => {
    const before = await hashTarget(ctx)
    expect(await runImport(ctx, argilla, { dryRun: true })).toMatchObject({ added: 700, target: null })
    expect(await hashTarget(ctx)).toBe(before)
  })

  test.each([
    ['a username', `update users set id = '${idOf(99)}' where username = 'ann'`, 'User `ann`: there is another one'],
    ['an API key', `update users set username = 'eve', id = '${idOf(99)}' where username = 'ann'`, 'the same API key'],
    [
      'a workspace',
      `update workspaces set id = '${idOf(99)}'; update datasets set workspace_id = '${idOf(99)}'; update workspaces_users set workspace_id = '${idOf(99)}'`,
      'Workspace `team`',
    ],
    ['a dataset', `update datasets set id = '${idOf(99)}'; delete from records`, 'Dataset `reviews`'],
    [
      'a record',
      `update datasets set id = '${idOf(99)}', name = 'other'; update records set dataset_id = '${idOf(99)}'`,
      'it is in another dataset here',
    ],
  ])('is refused if %s is taken here by another one', async (_what, change, message) => {
    await runImport(ctx, argilla)
    await argilla.run(change)
    for (const table of ['fields', 'questions', 'metadata_properties', 'vectors_settings', 'datasets_users']) {
      await argilla.run(`update ${table} set dataset_id = (select id from datasets)`)
    }
    const before = await hashTarget(ctx)
    await expect(runImport(ctx, argilla, { skipInvalid: true })).rejects.toThrow(message)
    expect(await hashTarget(ctx)).toBe(before)
  })

  test('of another revision is refused, and the right one is named', async () => {
    await argilla.run("update alembic_version set version_num = 'abc'")
    await expect(runImport(ctx, argilla)).rejects.toThrow(
      /has the revision abc in `alembic_version`. This command reads 580a6553186f/,
    )
    await argilla.run('drop table alembic_version')
    await expect(runImport(ctx, argilla)).rejects.toThrow(/is not the database of an Argilla server/)
  })

  test.each([
    ['records', `set inserted_at = '9999-01-01 00:00:00' where id = '${idOf(1000)}'`, '`inserted_at` is a time in the future', 4],
    ['records', `set fields = '[1]' where id = '${idOf(1001)}'`, '`fields` is a list, not an object', 1],
    ['records', `set status = 'odd' where id = '${idOf(1001)}'`, '`status` is not one of pending, completed', 1],
    ['responses', `set "values" = '{"label": 3}' where id = '${idOf(5000)}'`, 'has no `value`', 1],
    ['responses', `set user_id = '${idOf(77)}' where id = '${idOf(5000)}'`, 'its user is not there', 1],
    ['responses', `set record_id = '${idOf(77)}' where id = '${idOf(5000)}'`, '1 rows belong to', 1],
    ['vectors', "set value = '[1, 2, 3]'", '`value` has 3 numbers, not 2', 1],
    ['vectors', "set value = '[1, null]'", 'not a list of finite numbers', 1],
    ['suggestions', `set score = '"high"'`, '`score` is not a number', 1],
    ['webhooks', "set url = 'ftp://x'", '`url` must be an absolute URL', 1],
    ['users', "set role = 'king' where username = 'ann'", '`role` is not one of owner, admin, annotator', 1],
  ])('with %s %s is refused, or comes without what is wrong', async (table, change, message, leftOut) => {
    await argilla.run(`update ${table} ${change}`)
    await expect(runImport(ctx, argilla)).rejects.toThrow(message)
    expect(await ctx.db.sql.all('select id from users')).toEqual([])
    const { checked, source, target } = await runImport(ctx, argilla, { skipInvalid: true })
    expect(checked.leftOut.count()).toBe(leftOut)
    expect(target && digestsOf(target)).toEqual(digestsOf(source))
  })

  test('whose answers break a rule comes as it is, and the report says so', async () => {
    await argilla.run(`update responses set "values" = '{"label": {"value": "perhaps"}}' where id = '${idOf(5000)}'`)
    const { checked, source, target } = await runImport(ctx, argilla)
    expect(checked.notes.lines()).toEqual([expect.stringMatching(/^responses .*`perhaps` is not an option/)])
    expect(target && digestsOf(target)).toEqual(digestsOf(source))
  })
})

describe('a file', () => {
  let folder: string
  let opened: TestContext
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postil-test-'))
    opened = await openTestContext()
  })
  afterEach(async () => {
    await opened.close()
    rmSync(folder, { recursive: true })
  })

  test('with a write-ahead log is read, and is not written to', async () => {
    const argilla = makeSqliteArgilla(folder)
    await argilla.run('pragma journal_mode = wal')
    await argilla.close()
    const before = readFileSync(join(folder, 'argilla.db'))
    expect((await runImport(opened, argilla, { dryRun: true })).added).toBe(700)
    expect(readFileSync(join(folder, 'argilla.db')).equals(before)).toBe(true)
  })

  test.each([
    ['is damaged', 8192, /argilla\.db cannot be read: database disk image is malformed/],
    ['is not a database', 0, /argilla\.db is not an SQLite database/],
  ])('that %s is refused by its name', async (_what, at, message) => {
    const argilla = makeSqliteArgilla(folder)
    await argilla.close()
    const file = join(folder, 'argilla.db')
    const bytes = readFileSync(file)
    bytes.fill(0xab, at)
    writeFileSync(file, bytes)
    await expect(runImport(opened, argilla)).rejects.toThrow(message)
  })

  test('that is not there, or was left in the middle of a write, is refused', async () => {
    await expect(openSource({ file: join(folder, 'no.db') })).rejects.toThrow(/There is no database at/)
    const argilla = makeSqliteArgilla(folder)
    await argilla.close()
    writeFileSync(join(folder, 'argilla.db-journal'), 'x')
    await expect(runImport(opened, argilla)).rejects.toThrow(/has an unfinished transaction beside it/)
  })
})
