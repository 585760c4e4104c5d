/**
 * A server was killed, and its write-ahead log is deleted or shortened before the next start, which must not silently continue
 * without acknowledged writes. States of the folder in which nothing was lost must not be refused.
 */
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { caller } from '../contract/http.ts'
import { openFolders, postil } from '../postil.ts'
import { discard, type StartedServer, startServer } from '../server.ts'

const WRITES = 20
const LOG_HEADER_BYTES = 32
const newFolder = openFolders()
/** Of a killed server: its folder, and a backup that was made after half of the writes. */
const [killed, stopped, backup] = [newFolder(), newFolder(), join(newFolder(), 'backup')]

const nameOf = (no: number) => `written-${String(no).padStart(2, '0')}`
const ALL = Array.from({ length: WRITES }, (_, no) => nameOf(no))

async function writeNames(server: StartedServer, from: number, to: number): Promise<void> {
  const owner = caller(server.url, server.apiKey)
  for (let no = from; no < to; no++) expect((await owner.send('POST /workspaces', { name: nameOf(no) })).status).toBe(201)
}

async function listNames({ url, apiKey }: StartedServer): Promise<string[]> {
  const { items } = await caller(url, apiKey).done<{ items: { name: string }[] }>('GET /me/workspaces')
  return items.map(({ name }) => name).filter(name => name.startsWith('written-'))
}

function copyOf(folder: string): string {
  const home = newFolder()
  cpSync(folder, home, { recursive: true })
  return home
}

/** Names in the database after a start on the folder. */
async function startOn(home: string, env: Record<string, string> = {}): Promise<string[]> {
  const server = await startServer({ home, env })
  try {
    return (await listNames(server)).toSorted()
  } finally {
    await discard(server)
  }
}

beforeAll(async () => {
  const first = await startServer({ home: killed })
  await first.close()
  cpSync(killed, stopped, { recursive: true })
  const server = await startServer({ home: killed })
  await writeNames(server, 0, WRITES / 2)
  expect(postil(['server', 'backup', backup], { SERVICE_HOME_PATH: killed }).status).toBe(0)
  await writeNames(server, WRITES / 2, WRITES)
  await server.kill()
})

const logOf = (home: string) => join(home, 'postil.db-wal')
const shortenBy = (home: string, bytes: number) => truncateSync(logOf(home), readFileSync(logOf(home)).length - bytes)

const dropLog = (home: string) => {
  for (const suffix of ['-wal', '-shm']) rmSync(join(home, `postil.db${suffix}`), { force: true })
}
const overwriteEnd = (bytes: Buffer) => bytes.fill(0xff, bytes.length - 100)

const LOSSES: [what: string, lose: (home: string) => void][] = [
  ['deleted', home => rmSync(logOf(home))],
  ['deleted, with its index', dropLog],
  ['emptied', home => truncateSync(logOf(home), 0)],
  ['cut off after its header', home => truncateSync(logOf(home), LOG_HEADER_BYTES)],
  ['cut off in the middle', home => shortenBy(home, Math.floor(readFileSync(logOf(home)).length / 2))],
  ['cut off by one byte', home => shortenBy(home, 1)],
  ['overwritten at its end', home => writeFileSync(logOf(home), overwriteEnd(readFileSync(logOf(home))))],
]

describe.each(LOSSES)('a log that was %s after a kill', (_what, lose) => {
  const home = newFolder()
  const run = (...args: string[]) => postil(args, { SERVICE_HOME_PATH: home })
  beforeAll(() => {
    cpSync(killed, home, { recursive: true })
    lose(home)
  })

  test('is named by a start, which is refused, and the same by commands that write', () => {
    const stderr = expect.stringMatching(
      /^\/.+\/postil\.db is older than its last commit: .+ missing, until \d{4}-.+Put the log back, or restore a backup\..+delete \/.+\n$/,
    )
    for (const args of [
      ['start', '--port', '0'],
      ['server', 'database', 'migrate'],
    ]) {
      expect(run(...args)).toEqual({ status: 1, stdout: '', stderr })
    }
  })

  test('is found by the doctor', () => {
    const { status, stdout } = run('server', 'doctor')
    expect(status).toBe(1)
    expect(stdout).toMatch(/FAILED +database: .+ is older than its last commit/)
  })
})

test('a log that was cut off is accepted once the operator says so', async () => {
  const home = copyOf(killed)
  shortenBy(home, 1)
  rmSync(join(home, 'postil.db.last-commit'))
  const names = await startOn(home)
  expect(names).toEqual(ALL.slice(0, names.length))
  expect(names.length).toBeLessThan(WRITES)
  expect(await startOn(home)).toEqual(names)
})

test('a log that is put back brings all writes', async () => {
  const home = copyOf(killed)
  rmSync(logOf(home))
  expect(postil(['start', '--port', '0'], { SERVICE_HOME_PATH: home }).status).toBe(1)
  cpSync(logOf(killed), logOf(home))
  expect(await startOn(home)).toEqual(ALL)
})

describe('a start is not refused', () => {
  const HALF = ALL.slice(0, WRITES / 2)
  const fold = (home: string) => {
    const db = new DatabaseSync(join(home, 'postil.db'))
    db.exec('pragma wal_checkpoint(truncate)')
    db.close()
  }
  const noteOf = (home: string) => join(home, 'postil.db.last-commit')

  test.each<[string, string[], (home: string) => void]>([
    ['after a kill', ALL, () => {}],
    ['after another program has copied the log into the database', ALL, fold],
    ['after a power cut before the number of the last commit was on disk', ALL, home => cpSync(noteOf(stopped), noteOf(home))],
    ['after a power cut that left the file of the number empty', ALL, home => writeFileSync(noteOf(home), '')],
    ['on a folder of the release before, which had no such file', ALL, home => rmSync(noteOf(home))],
    [
      'on a backup of the same day that was copied into the folder',
      HALF,
      home => {
        dropLog(home)
        cpSync(join(backup, 'postil.db'), join(home, 'postil.db'))
      },
    ],
    [
      'on a backup of the same day that was restored',
      HALF,
      home => void postil(['server', 'restore', backup, '--force'], { SERVICE_HOME_PATH: home }),
    ],
    [
      'on an older copy of the database, from after a stop',
      [],
      home => {
        dropLog(home)
        cpSync(join(stopped, 'postil.db'), join(home, 'postil.db'))
      },
    ],
  ])('%s', async (_when, expected, change) => {
    const home = copyOf(killed)
    change(home)
    expect(await startOn(home)).toEqual(expected)
  })

  test('on a folder whose commits are not synced, after a power cut', async () => {
    const home = copyOf(stopped)
    const env = { SERVICE_SQLITE_SYNCHRONOUS: 'normal' }
    const server = await startServer({ home, env })
    await writeNames(server, 0, 2)
    await server.kill()
    dropLog(home)
    expect(await startOn(home, env)).toEqual([])
    expect(await startOn(home)).toEqual([])
  })
})
