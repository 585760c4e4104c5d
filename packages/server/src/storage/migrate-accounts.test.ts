/** Downgrade of deactivated users and pseudonyms to the release before these existed. */
import { expect, test } from 'vitest'
import { openPasswords } from '../lib/password.ts'
import { eachDatabase } from '../testing/databases.ts'
import { listLosses } from './losses.ts'
import { MIGRATIONS, migrate } from './migrate.ts'

const OLDER = MIGRATIONS[MIGRATIONS.findIndex(({ name }) => name === '0014') - 1]?.name ?? 'base'
const now = () => '2026-01-05T10:11:12.131415'
const passwords = openPasswords()
const by = { source: 'test', isKnown: true }

eachDatabase(db => {
  const rolesOf = () => db().sql.all<{ id: string; role: string }>('select id, role from users order by id')
  const credentials = () =>
    db().sql.all<{ id: string; password_hash: string; api_key_hash: string }>(
      "select id, password_hash, api_key_hash from users where role = 'annotator' order by id",
    )

  test('deactivated users stay out, and pseudonyms stay hidden, in an older release and after it', async () => {
    const password_hash = await passwords.hash('a long password', by)
    const add = (id: string, role: string, username: string, deactivated_at: string | null) => {
      const names = { first_name: id, last_name: null, username }
      const keys = { password_hash, api_key_hash: `hmac:${id}`, api_key_encrypted: 'sealed' }
      const row = { id, role, ...names, ...keys, deactivated_at, inserted_at: now(), updated_at: now() }
      return db().kysely.insertInto('users').values(row).execute()
    }
    await add('active', 'annotator', 'ann', null)
    await add('being deleted', 'deleted', 'deleted being deleted', null)
    await add('deactivated', 'annotator', 'ben', now())
    await add('pseudonym', 'pseudonym', 'deleted-user-3f9a1c', null)
    const before = await rolesOf()

    expect(await listLosses(db(), OLDER)).toEqual([{ table: 'users', column: 'deactivated_at', rows: 1 }])
    await migrate(db(), OLDER, now)
    expect((await rolesOf()).map(({ role }) => role)).toEqual(['annotator', 'deleted', 'annotator', 'deleted'])
    const [active, deactivated] = await credentials()
    expect(active).toEqual({ id: 'active', password_hash, api_key_hash: 'hmac:active' })
    expect(deactivated).toMatchObject({ id: 'deactivated', api_key_hash: 'hmac:deactivated deactivated' })
    expect(await passwords.fits(deactivated?.password_hash ?? '', 'a long password', by)).toBe(false)

    await migrate(db(), 'head', now)
    expect(await rolesOf()).toEqual(before)
    expect(await credentials()).toEqual([active, deactivated])
  })
})
