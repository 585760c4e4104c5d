/** A server on PostgreSQL: start and stop, commands, and startup errors. */

import { describe, expect, test } from 'vitest'
import { runOn } from '../../packages/server/src/testing/postgres-server.ts'
import { runRows } from '../databases/rows.ts'
import { HAS_POSTGRES, usePostgres } from '../databases/use-postgres.ts'
import { openFolders, postil } from '../postil.ts'
import { startServer } from '../server.ts'
import { caller } from './http.ts'

/** Creates another database with the encoding of old systems. */
async function toLatin1(url: string): Promise<string> {
  const name = `${new URL(url).pathname.slice(1)}_latin1`
  await runOn(url, `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`)
  return url.replace(/[^/]*$/, name)
}

async function setReadOnly(url: string): Promise<string> {
  await runOn(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  return url
}

describe.runIf(HAS_POSTGRES)('a server on PostgreSQL', () => {
  const postgres = usePostgres()
  const newFolder = openFolders()
  const settings = (home: string, url: string) => ({ SERVICE_HOME_PATH: home, SERVICE_DATABASE_URL: url })

  test('keeps its data over a restart, and never opens more connections than it may', async () => {
    const [home, url] = [newFolder(), await postgres.newDatabase()]
    const spelled = url.replace('postgresql://', 'postgresql+asyncpg://')
    const first = await startServer({ home, env: { SERVICE_DATABASE_URL: `${spelled}?prepared_statement_cache_size=0` } })
    const owner = caller(first.url, first.apiKey)
    const names = Array.from({ length: 60 }, (_, index) => `workspace-${index}`)
    await Promise.all(names.map(name => owner.done('POST /workspaces', { name })))
    const [{ count } = { count: 0 }] = await runRows<{ count: number }>(
      { home, databaseUrl: url },
      "select count(*) as count from pg_stat_activity where application_name like 'postil %' and datname = current_database()",
    )
    expect(count).toBeGreaterThan(3)
    expect(count).toBeLessThanOrEqual(25)
    expect(await first.close()).toBe(0)

    const second = await startServer({ home, env: { SERVICE_DATABASE_URL: url } })
    const { items } = await caller(second.url, second.apiKey).done<{ items: { name: string }[] }>('GET /me/workspaces')
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
    expect(await second.close()).toBe(0)
    const left = await runRows(
      { home, databaseUrl: url },
      "select 1 from pg_stat_activity where application_name like 'postil %' and datname = current_database()",
    )
    expect(left).toEqual([])
  })

  test('has the same commands', async () => {
    const [home, url] = [newFolder(), await postgres.newDatabase()]
    const run = (...args: string[]) => postil(['server', ...args], settings(home, url))
    expect(run('database', 'migrate')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('The database is at revision'),
    })
    expect(run('database', 'revisions')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/Current revision\n {2}\d{4}\n$/),
    })
    expect(run('search-engine', 'reindex')).toMatchObject({ status: 0 })
    expect(run('search-engine', 'verify')).toMatchObject({ status: 0 })
    expect(run('database', 'migrate', '--revision', '0001')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--force'),
    })
  })

  test.each([
    ['whose password is wrong', (url: string) => url.replace(':postil@', ':secret-guess@'), /refuses the user or the password/],
    ['that does not exist', (url: string) => `${url}_other`, /_other at 127.0.0.1:\d+ does not exist. Create it/],
    ['that nobody serves', (url: string) => url.replace(/:\d+\//, ':1/'), /at 127.0.0.1:1 cannot be reached. Check that it runs/],
    ['without TLS if that is asked for', (url: string) => `${url}?sslmode=require`, /cannot be reached with TLS/],
    ['in another encoding', toLatin1, /encoding of the database is LATIN1, .*createdb --encoding=UTF8/],
    ['that is read-only', setReadOnly, /read-only: default_transaction_read_only is on/],
  ])('does not start on a database %s', async (_, change, words) => {
    const url = await change(await postgres.newDatabase())
    for (const args of [
      ['start', '--port', '0'],
      ['server', 'database', 'revisions'],
    ]) {
      const { status, stderr } = postil(args, settings(newFolder(), url))
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(words) })
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).not.toContain('secret-guess')
    }
  })

  test('does not touch a database of another program', async () => {
    const [home, url] = [newFolder(), await postgres.newDatabase()]
    const place = { home, databaseUrl: url }
    await runRows(place, 'create table alembic_version (version_num text)')
    const { status, stderr } = postil(['start', '--port', '0'], settings(home, url))
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/an Argilla server made .*Nothing in it was touched/),
    })
    const text = "select table_name as name from information_schema.tables where table_schema = 'public'"
    expect(await runRows(place, text)).toEqual([{ name: 'alembic_version' }])
  })

  test('does not start with fewer connections than its threads need', async () => {
    const env = { ...settings(newFolder(), await postgres.newDatabase()), SERVICE_DATABASE_POSTGRESQL_POOL_SIZE: '3' }
    const { status, stderr } = postil(['start'], { ...env, SERVICE_DATABASE_POSTGRESQL_MAX_OVERFLOW: '2' })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/are `5` together; expected at least \d+/) })
  })
})
