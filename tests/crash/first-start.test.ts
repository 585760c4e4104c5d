/** A first start that is killed anywhere: the next one needs no help, and somebody can sign in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { MAIN } from '../main-file.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'

const NOBODY = { USERNAME: '', PASSWORD: '', API_KEY: '', WORKSPACE: '' }
const newFolder = openFolders()
const random = openRandom(14)

type Moment = (seen: { files: string[]; output: string; ms: number }) => boolean

/** As soon as something is there, and after some milliseconds since the first file. */
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

/** Starts a server on a new folder and kills it at that moment. Answers what it printed. */
async function killFirstStart(home: string, isMoment: Moment): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  let since = Number.POSITIVE_INFINITY
  const isNow = () => {
    const files = readdirSync(home)
    if (files.length > 0) since = Math.min(since, performance.now())
    // A moment that passed unseen ends with the start.
    return output.includes('serves at') || isMoment({ files, output, ms: performance.now() - since })
  }
  while (child.exitCode === null && !isNow()) await setTimeout(1)
  child.kill('SIGKILL')
  await exited
  return output
}

const keyIn = (output: string) => /API key +(\S+)\n/.exec(output)?.[1]

test.each(MOMENTS)('a first start that is killed %s is taken up by the next', async (_name, isMoment) => {
  const home = newFolder()
  const killed = await killFirstStart(home, isMoment)
  const left = `it left ${readdirSync(home).join(', ')}`
  const server = await startServer({ home, env: NOBODY })
  // The owner who was made last is the one who is there.
  const apiKey = keyIn(server.output()) ?? keyIn(killed)
  expect(apiKey, left).toBeDefined()
  const me = await fetch(`${server.url}/api/v1/me`, { headers: { 'x-argilla-api-key': apiKey ?? '' } })
  expect(me.status, left).toBe(200)
  expect(await server.close()).toBe(0)
  const files = readdirSync(home).filter(name => !/^postil\.db-(wal|shm)$/.test(name))
  expect(files).toEqual(['encryption.key', 'postil.db', 'postil.db.lock', 'signing.key'])
})
