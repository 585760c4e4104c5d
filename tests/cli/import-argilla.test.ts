/** `server import-argilla`: messages and exit codes. Unit tests and tests/import-argilla check the imported data. */
import { createClient } from '@postil/client'
import { describe, expect, test } from 'vitest'
import { makeSqliteArgilla } from '../../packages/server/src/import-argilla/testing/argilla-database.ts'
import { makeDatabase } from '../databases/postgres.ts'
import { openFolders, postil } from '../postil.ts'
import { startServer } from '../server.ts'

const newFolder = openFolders()

async function newHome(): Promise<string> {
  const home = newFolder()
  await makeDatabase(home)
  expect(postil(['server', 'database', 'migrate'], { SERVICE_HOME_PATH: home })).toMatchObject({ status: 0 })
  return home
}

async function newArgilla(): Promise<string> {
  const argilla = makeSqliteArgilla(newFolder())
  await argilla.close()
  return 'file' in argilla.place ? `sqlite:///${argilla.place.file}` : ''
}

const run = (home: string, ...args: string[]) => postil(['server', 'import-argilla', ...args], { SERVICE_HOME_PATH: home })

describe('import-argilla', () => {
  test('reports counts and hashes, and answers 1 if what is stored differs later', async () => {
    const [home, from] = [await newHome(), await newArgilla()]
    const dry = run(home, '--from', from, '--dry-run')
    expect(dry).toMatchObject({ status: 0, stdout: expect.stringMatching(/^700 records would come from .*Nothing was written/) })
    const first = run(home, '--from', from)
    expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Imported 700 records from /) })
    expect(first.stdout).toMatch(/^records +700 +700 {2}[0-9a-f]{16} equal$/m)

    const server = await startServer({ home })
    const client = createClient({ url: server.url, apiKey: 'key-of-ann' })
    const [dataset] = (await client.listMyDatasets()).items
    await client.updateDataset({ params: { dataset_id: dataset?.id ?? '' }, body: { guidelines: 'Read twice.' } })
    await server.close()
    const later = run(home, '--from', from)
    expect(later.status).toBe(1)
    expect(later.stdout).toMatch(/^datasets +1 +1 {2}[0-9a-f]{16} DIFFERS from [0-9a-f]{16}$/m)
    expect(later.stdout).toMatch(/^records .* equal$/m)
    expect(later.stdout).toContain('What is stored differs from the source.')
    const report = JSON.parse(run(home, '--from', from, '--json').stdout)
    expect(report).toMatchObject({ records_added: 0, kinds: { users: { source: { count: 2 }, target: { count: 2 } } } })
  })

  test.each([
    ['no address', [], 2, "required option '--from <url>' not specified"],
    ['something else', ['--from', 'mysql://ann:secret@host/argilla'], 1, '--from is not the address of a database'],
    ['a file that is not there', ['--from', 'sqlite:////nowhere/argilla.db'], 1, 'There is no database at /nowhere/argilla.db'],
    [
      'a server that does not answer',
      ['--from', 'postgresql://ann:secret@127.0.0.1:1/argilla'],
      1,
      'The PostgreSQL database argilla at 127.0.0.1:1 cannot be read',
    ],
  ])('refuses %s, without showing a password', async (_what, args, status, message) => {
    const { stdout, stderr, ...ended } = run(newFolder(), ...args)
    expect(ended.status).toBe(status)
    expect(stderr).toContain(message)
    expect(stdout + stderr).not.toContain('secret')
  })

  test('needs a database of this release, and says how to get one', async () => {
    const from = await newArgilla()
    expect(run(newFolder(), '--from', from)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no database at'),
    })
    const home = newFolder()
    const file = from.slice('sqlite:///'.length)
    const started = postil(['start', '--port', '0'], { SERVICE_HOME_PATH: home, SERVICE_DATABASE_URL: `sqlite:///${file}` })
    expect(started).toMatchObject({ status: 1, stderr: expect.stringContaining('postil server import-argilla --from') })
  })
})
