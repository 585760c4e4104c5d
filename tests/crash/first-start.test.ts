/**
 * A first start that ends at any time: the next start recovers without help, and a user can sign in. A few starts are killed;
 * one is copied at more moments, and the copies are recovered with the code of a start.
 */
import { readdirSync } from 'node:fs'
import { readConfig } from '@postil/server/config'
import { prepareHome } from '@postil/server/prepare-home'
import { beforeAll, expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'
import { checkCopy, checkFolder } from './check-folder.ts'
import { copyFolder } from './moments.ts'
import { actWithKey, withCopyOpen } from './open-copy.ts'
import { killStart, whilePaused } from './starts.ts'

const NOBODY = { USERNAME: '', PASSWORD: '', API_KEY: '', WORKSPACE: '' }
const newFolder = openFolders()
const random = openRandom(14)

type Moment = (seen: { files: string[]; output: string; ms: number }) => boolean

/** As soon as something exists, or some milliseconds after the first file. */
const MOMENTS: [string, Moment][] = [
  ...['signing.key.new', 'encryption.key', 'postil.db.new', 'postil.db.new-wal', 'postil.db', 'postil.db-wal'].map(
    (name): [string, Moment] => [`when ${name} appears`, ({ files }) => files.includes(name)],
  ),
  ['when the owner is shown', ({ output }) => output.includes('API key')],
  ...[20, 80, 150, 220, 300, 400].map((most): [string, Moment] => {
    const after = most * random()
    return [`${Math.round(after)} ms after the first file`, ({ files, ms }) => files.length > 0 && ms >= after]
  }),
]
const KILLED = ['when postil.db.new-wal appears', 'when the owner is shown']

const keyIn = (output: string) => /API key +(\S+)\n/.exec(output)?.[1]

interface Copied {
  home: string
  /** Output of the start until then. */
  output: string
}

const copies = new Map<string, Copied>()

beforeAll(async () => {
  const home = newFolder()
  let since = Number.POSITIVE_INFINITY
  await killStart(home, async ({ output, isThrough }, pid) => {
    const files = readdirSync(home)
    if (files.length > 0) since = Math.min(since, performance.now())
    const seen = { files, output, ms: performance.now() - since }
    const due = MOMENTS.filter(([name, isMoment]) => !copies.has(name) && (isThrough || isMoment(seen)))
    for (const [name] of due) copies.set(name, { home: newFolder(), output })
    const copyDue = async () => {
      for (const [name] of due) await copyFolder(home, copies.get(name)?.home ?? '')
    }
    if (due.length > 0) since += await whilePaused(pid, copyDue)
    return copies.size === MOMENTS.length
  })
})

/** The files of a folder after a complete start. */
function expectFiles(home: string): void {
  const files = readdirSync(home).filter(name => !/^postil\.db-(wal|shm)$/.test(name))
  expect(files).toEqual(['encryption.key', 'postil.db', 'postil.db.last-commit', 'postil.db.lock', 'signing.key'])
}

test.each(MOMENTS)('a first start that ends %s is taken up by the next', async name => {
  const { home, output } = copies.get(name) as Copied
  const left = `it left ${readdirSync(home).join(', ')}`
  // The owner that was created last is the one that exists.
  let apiKey = keyIn(output)
  const tellOwner: Parameters<typeof prepareHome>[1]['tellOwner'] = owner => {
    apiKey = owner.apiKey ?? undefined
  }
  const { release } = await prepareHome(readConfig({}, { homePath: home, logLevel: 'error' }), { tell: () => {}, tellOwner })
  release()
  expectFiles(home)
  await checkCopy(home)
  const role = await withCopyOpen(home, async ctx => (await actWithKey(ctx, apiKey ?? '')).actor.role)
  expect(role, left).toBe('owner')
})

test.each(MOMENTS.filter(([name]) => KILLED.includes(name)))('so is one that is killed %s', async (_name, isMoment) => {
  const home = newFolder()
  const killed = await killStart(home, ({ output }) => isMoment({ files: readdirSync(home), output, ms: 0 }))
  const left = `it left ${readdirSync(home).join(', ')}`
  const server = await startServer({ home, env: NOBODY })
  const apiKey = keyIn(server.output()) ?? keyIn(killed.output)
  expect(apiKey, left).toBeDefined()
  const me = await fetch(`${server.url}/api/v1/me`, { headers: { 'x-argilla-api-key': apiKey ?? '' } })
  expect(me.status, left).toBe(200)
  expect(await server.close()).toBe(0)
  expectFiles(home)
  checkFolder(home)
})
