import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import { checkNewest, listAppliedRevisions, MIGRATIONS, migrate } from './migrate.ts'

const now = () => '2026-01-05T10:11:12.131415'

describe('migrations', () => {
  eachDatabase((db, openAnother) => {
    test('go all the way down and up again', async () => {
      await migrate(db(), 'base', now)
      expect(await listAppliedRevisions(db())).toEqual([])
      await migrate(db(), 'head', now)
      expect(await listAppliedRevisions(db())).toEqual(MIGRATIONS.map(migration => migration.name))
    })

    test('are done once by two processes that start at the same time', async () => {
      if (db().dialect.name === 'sqlite') return
      const other = openAnother()
      await migrate(db(), 'base', now)
      await db().sql.run('drop table revisions')
      const told: string[] = []
      await Promise.all([db(), other].map(process => migrate(process, 'head', now, line => void told.push(line))))
      expect(told.filter(line => line.startsWith('up '))).toHaveLength(MIGRATIONS.length)
      expect(await listAppliedRevisions(db())).toEqual(MIGRATIONS.map(migration => migration.name))
      await other.close()
    })

    test('queue a job for each dataset whose answers are found by more', async () => {
      const times = { inserted_at: now(), updated_at: now() }
      const { kysely, sql } = db()
      const dataset = { allow_extra_metadata: 1, status: 'draft', distribution: '{}', metadata: null, guidelines: null }
      await kysely
        .insertInto('workspaces')
        .values({ id: 'w', name: 'w', ...times })
        .execute()
      for (const [id, type] of [
        ['d1', 'span'],
        ['d2', 'rating'],
      ] as const) {
        const named = { id, name: id, ...times }
        await kysely
          .insertInto('datasets')
          .values({ ...dataset, ...named, workspace_id: 'w' })
          .execute()
        const settings = JSON.stringify({ type, options: [{ value: '"type":"span"' }] })
        const question = { title: id, description: null, required: 0, settings, dataset_id: id }
        await kysely
          .insertInto('questions')
          .values({ ...named, ...question })
          .execute()
      }
      const jobs = () => sql.all('select name, payload, status from jobs')
      await migrate(db(), '0004', now)
      await migrate(db(), '0005', now)
      expect(await jobs()).toEqual([{ name: 'reindex-answers', payload: '{"dataset_id":"d1","after":0}', status: 'queued' }])
      await migrate(db(), '0004', now)
      expect(await jobs()).toEqual([])
      await migrate(db(), 'head', now)
    })

    test('move totals and the last activity to the head of a dataset, and back', async () => {
      const { kysely, sql } = db()
      const times = { inserted_at: now(), updated_at: now() }
      const dataset = {
        name: 'd9',
        allow_extra_metadata: 1,
        status: 'draft',
        distribution: '{}',
        metadata: null,
        guidelines: null,
      }
      await kysely
        .insertInto('workspaces')
        .values({ id: 'w9', name: 'w9', ...times })
        .execute()
      await kysely
        .insertInto('datasets')
        .values({ id: 'd9', workspace_id: 'w9', ...dataset, ...times })
        .execute()
      const totals = { records_count: 5, completed_count: 3, last_activity_at: '2026-02-01T00:00:00.000001' }
      await kysely
        .insertInto('dataset_heads')
        .values({ dataset_id: 'd9', change_no: 7, ...totals })
        .execute()
      const selected = 'select records_count, completed_count, last_activity_at from'
      await migrate(db(), '0007', now)
      expect(await sql.get(`${selected} datasets where id = 'd9'`)).toEqual(totals)
      await migrate(db(), 'head', now)
      expect(await sql.get("select * from dataset_heads where dataset_id = 'd9'")).toMatchObject({
        dataset_id: 'd9',
        change_no: 0,
        ...totals,
      })
    })

    test.each([['base'], ['0001'], ['0009']])('refuse a database at %s where its newest revision is needed', async revision => {
      await migrate(db(), revision, now)
      const newest = MIGRATIONS.at(-1)?.name
      await expect(checkNewest(db())).rejects.toThrow(
        `The database is at revision ${revision}, and this release needs ${newest}.`,
      )
      await migrate(db(), 'head', now)
      await checkNewest(db())
    })

    test('name the known revisions when asked for an unknown one', async () => {
      await expect(migrate(db(), '9.9', now)).rejects.toThrow(/`9\.9` is not a revision.*0001/)
    })
  })
})

describe('a database of another program', () => {
  eachDatabase(db => {
    beforeAll(async () => {
      await migrate(db(), 'base', now)
      await db().sql.run('drop table revisions')
      await db().sql.run('create table alembic_version (version_num text)')
    })
    afterAll(() =>
      db()
        .sql.run('drop table alembic_version')
        .then(() => undefined),
    )

    test('is refused and left as it is', async () => {
      await expect(migrate(db(), 'head', now)).rejects.toThrow(/an Argilla server made .*Nothing in it was touched/)
      await expect(db().sql.all('select * from revisions')).rejects.toThrow()
    })
  })
})
