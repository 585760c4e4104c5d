import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { prepareHome } from './prepare-home.ts'
import { listAppliedRevisions, MIGRATIONS, migrate } from './storage/migrate.ts'
import { openSqlite } from './storage/sqlite.ts'

const home = mkdtempSync(join(tmpdir(), 'postil-test-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const config = readConfig({}, { homePath: home, logLevel: 'error' })
const now = () => '2026-01-05T10:11:12.131415'

async function start(): Promise<string[]> {
  const told: string[] = []
  const { release } = await prepareHome(config, { tell: line => void told.push(line), tellOwner: () => {} })
  release()
  return told.filter(line => line.startsWith('Upgrading'))
}

const open = () =>
  openSqlite({ path: config.databaseFile, readonly: false, synchronous: 'normal', busyTimeoutMs: 1000, cacheMb: 1 })

test('a start upgrades a database of the revision before and says so, and only then', async () => {
  expect(await start()).toEqual([])
  const older = open()
  await migrate(older, MIGRATIONS.at(-2)?.name ?? '', now)
  await older.close()
  const newest = MIGRATIONS.at(-1)
  expect((await start())[0]).toBe(`Upgrading the database: up ${newest?.name} ${newest?.title}`)
  expect(await start()).toEqual([])
  const db = open()
  expect(await listAppliedRevisions(db)).toEqual(MIGRATIONS.map(({ name }) => name))
  await db.close()
})
