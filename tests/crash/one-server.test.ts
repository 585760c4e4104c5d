/**
 * Two servers on one SQLite database, by every way in which the second can reach it: other names, links, mounts, other containers
 * (namespaces of mounts and processes), or a lock that was deleted. Clients write to both. Only one of them may answer writes, and
 * no acknowledged write may be missing after a restart.
 *
 * POSTIL_TEST_ROUNDS sets the number of rounds of each way. In every second round both servers start at the same time.
 */
import { copyFileSync, linkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Caller, caller } from '../contract/http.ts'
import { canMount, inContainer, withMounts } from '../namespaces.ts'
import { openFolders } from '../postil.ts'
import { discard, type StartedServer, startServer } from '../server.ts'

const ROUNDS = Number(process.env.POSTIL_TEST_ROUNDS ?? 1)
const WRITES_BEFORE = 3
const WRITES_AFTER = 10

type StartOptions = Parameters<typeof startServer>[0]

interface Way {
  name: string
  /** Prepares a second access to the database of `home`, and returns how a server uses it. */
  reach(home: string, other: string): StartOptions
  /** Ends it, so that the first server can start again. */
  leave?(home: string, other: string): void
  needsMounts?: true
  /** The first server does not start again either while there is the other way. */
  refusesBoth?: true
}

/** Without the keys, a server refuses the database for that reason alone. */
function copyKeys(home: string, other: string): void {
  for (const name of ['encryption.key', 'signing.key']) copyFileSync(join(home, name), join(other, name))
}

const WAYS: Way[] = [
  { name: 'the same folder', reach: home => ({ home }) },
  {
    name: 'a URL, with another home folder',
    reach: (home, other) => {
      copyKeys(home, other)
      return { home: other, env: { SERVICE_DATABASE_URL: `sqlite:///${home}/postil.db` } }
    },
  },
  {
    name: 'a symbolic link to the file',
    reach: (home, other) => {
      copyKeys(home, other)
      symlinkSync(`${home}/postil.db`, `${other}/postil.db`)
      return { home: other }
    },
  },
  {
    name: 'a symbolic link to the folder',
    reach: (home, other) => {
      symlinkSync(home, `${other}/home`)
      return { home: `${other}/home` }
    },
  },
  {
    name: 'a hard link to the file',
    reach: (home, other) => {
      copyKeys(home, other)
      linkSync(`${home}/postil.db`, `${other}/postil.db`)
      return { home: other }
    },
    leave: (_home, other) => rmSync(`${other}/postil.db`),
    refusesBoth: true,
  },
  {
    name: 'a mount of the file',
    needsMounts: true,
    reach: (home, other) => {
      copyKeys(home, other)
      writeFileSync(`${other}/postil.db`, '')
      return { home: other, shell: withMounts(`mount --bind ${home}/postil.db ${other}/postil.db`) }
    },
  },
  {
    name: 'a mount of the folder',
    needsMounts: true,
    reach: (home, other) => ({ home: other, shell: withMounts(`mount --bind ${home} ${other}`) }),
  },
  {
    name: 'a container with a mount of the folder',
    needsMounts: true,
    reach: (home, other) => ({ home: other, shell: inContainer(`mount --bind ${home} ${other}`) }),
  },
  {
    name: 'a container with a mount of the file and its lock',
    needsMounts: true,
    reach: (home, other) => {
      copyKeys(home, other)
      for (const name of ['postil.db', 'postil.db.lock']) writeFileSync(join(other, name), '')
      const mounts = ['postil.db', 'postil.db.lock'].map(name => `mount --bind ${home}/${name} ${other}/${name}`)
      return { home: other, shell: inContainer(mounts.join(' && ')) }
    },
  },
  {
    name: 'the same folder, after its lock was deleted',
    reach: home => {
      rmSync(`${home}/postil.db.lock`, { force: true })
      return { home }
    },
  },
]

const newFolder = openFolders()
const servers: StartedServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await discard(server)
})

/** Resolves with null if the server does not start. */
async function tryStart(options: StartOptions): Promise<StartedServer | null> {
  try {
    const server = await startServer(options)
    servers.push(server)
    return server
  } catch (error) {
    expect(String(error)).toMatch(REFUSED)
    return null
  }
}

/** What a start says that is refused. */
const REFUSED =
  /Another Postil process uses the database|has 2 names \(hard links\)|is mounted as a single file|was moved, replaced or deleted/

class Writer {
  readonly acknowledged: string[] = []
  readonly #owner: Caller
  readonly #prefix: string
  #no = 0

  constructor({ url, apiKey }: StartedServer, prefix: string) {
    this.#owner = caller(url, apiKey)
    this.#prefix = prefix
  }

  /** Returns the number of acknowledged writes. A server that has stopped acknowledges none. */
  async write(count: number): Promise<number> {
    const before = this.acknowledged.length
    for (let i = 0; i < count; i++) {
      const name = `${this.#prefix}-${this.#no++}`
      const status = await this.#owner.send('POST /workspaces', { name }).then(
        answer => answer.status,
        () => 0,
      )
      if (status === 201) this.acknowledged.push(name)
    }
    return this.acknowledged.length - before
  }
}

async function listNames({ url, apiKey }: StartedServer): Promise<string[]> {
  const { items } = await caller(url, apiKey).done<{ items: { name: string }[] }>('GET /me/workspaces')
  return items.map(({ name }) => name)
}

async function runRound(way: Way, isAtOnce: boolean): Promise<void> {
  const [home, other] = [newFolder(), newFolder()]
  const first = await startServer({ home })
  servers.push(first)
  const writers = [new Writer(first, 'first')]
  expect(await writers[0]?.write(WRITES_BEFORE)).toBe(WRITES_BEFORE)
  if (isAtOnce) await first.kill()
  const options = way.reach(home, other)
  const [again, second] = await Promise.all([isAtOnce ? tryStart({ home }) : first, tryStart(options)])
  if (isAtOnce && again) writers.push(new Writer(again, 'again'))
  if (second) writers.push(new Writer(second, 'second'))
  const running = isAtOnce ? writers.slice(1) : writers
  const written = await Promise.all(running.map(writer => writer.write(WRITES_AFTER)))
  expect(written.filter(count => count > 0)).toEqual(isAtOnce && way.refusesBoth ? [] : [WRITES_AFTER])
  for (const server of servers.splice(0)) await server.kill()
  way.leave?.(home, other)
  const restarted = await startServer({ home })
  servers.push(restarted)
  const names = new Set(await listNames(restarted))
  expect(writers.flatMap(({ acknowledged }) => acknowledged).filter(name => !names.has(name))).toEqual([])
  await discard(servers.pop() as StartedServer)
}

describe.each(WAYS.map((way, index) => ({ ...way, index })))('two servers on one database, by $name', way => {
  const why = way.needsMounts && !canMount ? ' (left out: this system does not permit mounts in a namespace)' : ''
  test.skipIf(why !== '')(`${ROUNDS} rounds: one answers, and nothing is lost${why}`, async () => {
    for (let round = 0; round < ROUNDS; round++) await runRound(way, (way.index + round) % 2 === 1)
  })
})
