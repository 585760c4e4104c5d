/** A first start that is killed anywhere: the next one needs no help, and somebody can sign in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openRandom } from '../load/corpus.ts'
import { openFolders } from '../postil.ts'
import { startServer } from '../server.ts'

const ROUNDS = 12
const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))
const NOBODY = { USERNAME: '', PASSWORD: '', API_KEY: '', WORKSPACE: '' }
const newFolder = openFolders()

/** Starts a server on a new folder and kills it some milliseconds after its first file appears. Answers what it printed. */
async function killFirstStart(home: string, afterMs: number): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  while (child.exitCode === null && readdirSync(home).length === 0) await setTimeout(1)
  await setTimeout(afterMs)
  child.kill('SIGKILL')
  await exited
  return output
}

const keyIn = (output: string) => /API key +(\S+)\n/.exec(output)?.[1]

test(`${ROUNDS} first starts that are killed are taken up by the next`, { timeout: 300_000 }, async () => {
  const random = openRandom(14)
  for (let round = 0; round < ROUNDS; round++) {
    const home = newFolder()
    const afterMs = Math.floor((round / ROUNDS) * 400 * (0.5 + random()))
    const killed = await killFirstStart(home, afterMs)
    const left = readdirSync(home).join(', ')
    const server = await startServer({ home, env: NOBODY })
    // The owner of the last start that made one is the one who is there.
    const apiKey = keyIn(server.output()) ?? keyIn(killed)
    expect(apiKey, `round ${round}: killed after ${afterMs} ms, which left ${left}`).toBeDefined()
    const me = await fetch(`${server.url}/api/v1/me`, { headers: { 'x-argilla-api-key': apiKey ?? '' } })
    expect(me.status, `round ${round}: killed after ${afterMs} ms, which left ${left}`).toBe(200)
    expect(await server.close()).toBe(0)
    const files = readdirSync(home).filter(name => !/^postil\.db-(wal|shm)$/.test(name))
    expect(files).toEqual(['encryption.key', 'postil.db', 'postil.db.lock', 'signing.key'])
  }
})
