/** Names from before the rule for names: an upgrade keeps them, and finds them by their look. */
import { expect, test } from 'vitest'
import { findSameName } from '../features/names/store.ts'
import { eachDatabase } from '../testing/databases.ts'
import { listLosses } from './losses.ts'
import { MIGRATIONS, migrate } from './migrate.ts'

const OLDER = MIGRATIONS[MIGRATIONS.findIndex(({ name }) => name === '0029') - 1]?.name ?? 'base'
const now = () => '2026-01-05T10:11:12.131415'

eachDatabase(db => {
  test('names that look alike stay as they are, and no new one can look like them', async () => {
    await migrate(db(), OLDER, now)
    const users = ['owner', 'owner ', 'оwner', 'other', `\u{fdfa}`.repeat(200)]
    for (const [index, name] of users.entries()) {
      const keys = [`id-${index}`, name, `hmac:${index}`, now(), now()]
      await db().sql.run(
        `insert into users (id, first_name, username, role, password_hash, api_key_hash, api_key_encrypted, inserted_at, updated_at)
         values (?, '', ?, 'annotator', '', ?, '', ?, ?)`,
        keys,
      )
    }
    for (const [index, name] of ['team', 'team\u200b'].entries()) {
      const text = 'insert into workspaces (id, name, inserted_at, updated_at) values (?, ?, ?, ?)'
      await db().sql.run(text, [`id-${index}`, name, now(), now()])
    }
    await migrate(db(), 'head', now)
    expect(await db().sql.column('select username from users order by id')).toEqual(users)

    const found = ['owner', 'ownеr', 'owners', 'other\u200b'].map(name => findSameName(db(), 'user', name))
    expect(await Promise.all(found)).toEqual(['owner', 'owner', null, 'other'])
    expect(await findSameName(db(), 'workspace', 'tеam')).toBe('team')
    expect(await findSameName(db(), 'workspace', 'ream')).toBeNull()

    // The columns are computed from the names, so that a downgrade loses nothing.
    expect(await listLosses(db(), OLDER)).toEqual([])
    await migrate(db(), OLDER, now)
    await migrate(db(), 'head', now)
    expect(await db().sql.column('select username from users order by id')).toEqual(users)
  })
})
