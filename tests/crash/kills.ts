/** Kills a server at seeded random times: while clients write to it, or while it starts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { openRandom } from '../load/corpus.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import { MAIN } from '../main-file.ts'
import type { StartedServer } from '../server.ts'

interface KillPlan {
  seed: number
  kills: number
  /** Latest time of a kill in milliseconds. */
  msMax: number
}

/** Runs `round` once for each kill, with its time. A failure names the kill and the seed. */
export async function forEachKill({ seed, kills, msMax }: KillPlan, round: (afterMs: number) => Promise<void>): Promise<void> {
  const random = openRandom(seed)
  for (let no = 1; no <= kills; no++) {
    const afterMs = random() * msMax
    try {
      await round(afterMs)
    } catch (error) {
      if (error instanceof Error) error.message = `kill ${no} of ${kills}, ${afterMs} ms, seed ${seed}: ${error.message}`
      throw error
    }
  }
}

export interface Client {
  apiKey: string
  /** Sends one write and waits for its response. */
  write(connection: Connection): Promise<void>
}

/** Lets clients write until the server is killed. `moment` is called after the first response. */
export async function killDuring(
  server: StartedServer,
  clients: readonly Client[],
  moment: () => Promise<unknown>,
): Promise<void> {
  const answered = Promise.withResolvers<void>()
  const writing = Promise.all(clients.map(client => untilKilled(server, client, answered.resolve)))
  await Promise.race([answered.promise, writing])
  await Promise.race([moment(), writing])
  await server.kill()
  await writing
}

async function untilKilled({ url }: StartedServer, client: Client, onAnswer: () => void): Promise<void> {
  const connection = await openConnection(url, client.apiKey)
  try {
    while (true) {
      await client.write(connection)
      onAnswer()
    }
  } catch (error) {
    // The kill closes the connection; any other error fails the test.
    if (!/closed the connection|ECONNRESET|EPIPE/.test(String(error))) throw error
  } finally {
    connection.close()
  }
}

interface KilledStart {
  output: string
  /** True if the server was ready before the kill. */
  isThrough: boolean
}

/** Starts a server and kills it when `isMoment` returns true, checked about every millisecond, or as soon as it is ready. */
export async function killStart(home: string, isMoment: (output: string) => boolean): Promise<KilledStart> {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const isServing = () => output.includes('serves at')
  while (child.exitCode === null && !isServing() && !isMoment(output)) await setTimeout(1)
  child.kill('SIGKILL')
  await exited
  return { output, isThrough: isServing() }
}
