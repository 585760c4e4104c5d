/** A first start that is killed at any time: the next start recovers without help, and a user can sign in. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'
import { checkFolder } from './check-folder.ts'
import { killStart } from './kills.ts'

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

/** Starts a server on a new folder and kills it at the given time. Returns its output. */
async function killFirstStart(home: string, isMoment: Moment): Promise<string> {
  let since = Number.POSITIVE_INFINITY
  const { output } = await killStart(home, printed => {
    const files = readdirSync(home)
    if (files.length > 0) since = Math.min(since, performance.now())
    return isMoment({ files, output: printed, ms: performance.now() - since })
  })
  return output
}

const keyIn = (output: string) => /API key +(\S+)\n/.exec(output)?.[1]

test.each(MOMENTS)('a first start that is killed %s is taken up by the next', async (_name, isMoment) => {
  const home = newFolder()
  const killed = await killFirstStart(home, isMoment)
  const left = `it left ${readdirSync(home).join(', ')}`
  const server = await startServer({ home, env: NOBODY })
  // The owner that was created last is the one that exists.
  const apiKey = keyIn(server.output()) ?? keyIn(killed)
  expect(apiKey, left).toBeDefined()
  const me = await fetch(`${server.url}/api/v1/me`, { headers: { 'x-argilla-api-key': apiKey ?? '' } })
  expect(me.status, left).toBe(200)
  expect(await server.close()).toBe(0)
  const files = readdirSync(home).filter(name => !/^postil\.db-(wal|shm)$/.test(name))
  expect(files).toEqual(['encryption.key', 'postil.db', 'postil.db.lock', 'signing.key'])
  checkFolder(home)
})
