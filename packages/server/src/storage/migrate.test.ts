import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eachDatabase } from '../testing/databases.ts'
import { listAppliedRevisions, MIGRATIONS, migrate } from './migrate.ts'

const now = () => '2026-01-05T10:11:12.131415'

describe('migrations', () => {
  eachDatabase(db => {
    test('go all the way down and up again', async () => {
      await migrate(db(), 'base', now)
      expect(await listAppliedRevisions(db())).toEqual([])
      await migrate(db(), 'head', now)
      expect(await listAppliedRevisions(db())).toEqual(MIGRATIONS.map(migration => migration.name))
    })

    test('name the known revisions when asked for an unknown one', async () => {
      await expect(migrate(db(), '9.9', now)).rejects.toThrow(/`9\.9` is no revision.*0001/)
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
      await expect(migrate(db(), 'head', now)).rejects.toThrow(/import-argilla/)
      await expect(db().sql.all('select * from revisions')).rejects.toThrow()
    })
  })
})
