/**
 * Moments of a running server that are checked: copies of its data folder while all its threads stand still, and kills.
 *
 * Both leave what the system has been given to write. A copy needs no restart, so most moments are copies; a few are kills, which
 * also test that the next start recovers by itself.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { openRandom } from '../load/corpus.ts'
import { type Connection, openConnection } from '../load/http-client.ts'
import type { StartedServer } from '../server.ts'

export interface Client {
  apiKey: string
  /** Sends one write and waits for its response. */
  write(connection: Connection): Promise<void>
}

interface Plan {
  seed: number
  kills: number
  /** Number of copies before each kill. */
  copiesPerKill: number
  /** Latest time of a moment in milliseconds after the event that it waits for. */
  msMax: number
}

interface Rounds {
  /** The server of the moment. It changes with each restart. */
  server(): StartedServer
  clients: readonly Client[]
  /** Waits for an event of interest while clients write; by default for one response to each client. */
  event?: () => Promise<unknown>
  /** A folder for copies. */
  copyTo: string
  checkCopy(home: string): Promise<void>
  /** Called after the kill, when all clients have ended. Must start the next server. */
  checkKilled(): Promise<void>
}

/** Checks all moments of a plan while clients write. A failure names the moment and the seed. */
export async function forEachMoment({ seed, kills, copiesPerKill, msMax }: Plan, rounds: Rounds): Promise<void> {
  const random = openRandom(seed)
  for (let kill = 1; kill <= kills; kill++) {
    const running = startClients(rounds.server(), rounds.clients)
    for (let copy = 1; copy <= copiesPerKill + 1; copy++) {
      // Half of the moments come right after a response, in which its write must be stored already.
      const afterMs = random() < 0.5 ? 0 : random() * msMax
      const isKill = copy > copiesPerKill
      try {
        await running.during(rounds.event ?? running.answers)
        if (afterMs > 0) await running.during(() => setTimeout(afterMs))
        if (isKill) await running.kill().then(rounds.checkKilled)
        else await withCopy(rounds.server(), rounds.copyTo, rounds.checkCopy)
      } catch (error) {
        const moment = isKill ? `kill ${kill}` : `copy ${copy} before kill ${kill}`
        // Otherwise clients would write to it during the next tests.
        await Promise.allSettled([running.kill()])
        if (error instanceof Error) error.message = `${moment}, ${afterMs} ms, seed ${seed}: ${error.message}`
        throw error
      }
    }
  }
}

/**
 * Copies the folder while the server stands still, and checks the copy. The server continues only afterwards, so what clients know
 * to be stored does not change meanwhile: they still read responses that were sent before.
 */
export async function withCopy<T>(
  { pid, home }: Pick<StartedServer, 'pid' | 'home'>,
  to: string,
  check: (home: string) => Promise<T>,
): Promise<T> {
  await pause(pid)
  try {
    await copyFolder(home, to)
    return await check(to)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

interface Copies {
  random: () => number
  count: number
  /** Longest time before each copy in milliseconds. */
  msMax: number
  to: string
}

/** Copies the folder at random times while the server does work of its own. */
export async function copyAtTimes(server: StartedServer, copies: Copies, check: (home: string) => Promise<void>): Promise<void> {
  for (let copy = 1; copy <= copies.count; copy++) {
    await setTimeout(copies.random() * copies.msMax)
    await withCopy(server, copies.to, check)
  }
}

/** Replaces a folder by a copy of another one. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true })
}

/** Stops a process and waits until all its threads stand still, because the signal reaches them one after the other. */
export async function pause(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  while (!isStill(pid)) await setTimeout(1)
}

function isStill(pid: number): boolean {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'state=', '-p', String(pid)])
      .stdout.toString()
      .startsWith('T')
  const threads = globSync(`/proc/${pid}/task/*/stat`)
  if (threads.length === 0) throw new Error(`Process ${pid} has ended`)
  return threads.every(isStopped)
}

/** The state of a thread follows its name, which is in parentheses: T if it is stopped, Z if it has ended. */
function isStopped(file: string): boolean {
  try {
    return /\) [TZ] /.test(readFileSync(file, 'utf8'))
  } catch (error) {
    // The thread has ended since its file was listed.
    if (/ENOENT|ESRCH/.test(String(error))) return true
    throw error
  }
}

interface Running {
  /** Waits for the work, or fails if a client fails. */
  during(work: () => Promise<unknown>): Promise<void>
  /** Waits until each client has received a response. */
  answers(): Promise<void>
  /** Kills the server and waits until all clients have noticed. */
  kill(): Promise<void>
}

function startClients(server: StartedServer, clients: readonly Client[]): Running {
  const counts = clients.map(() => 0)
  let onAnswer = () => {}
  const loops = clients.map((client, no) =>
    writeUntilKilled(server, client, () => {
      counts[no] = (counts[no] ?? 0) + 1
      onAnswer()
    }),
  )
  const writing = Promise.all(loops)
  return {
    during: async work => void (await Promise.race([work(), writing])),
    answers: () => {
      const before = [...counts]
      const { promise, resolve } = Promise.withResolvers<void>()
      onAnswer = () => counts.every((count, no) => count > (before[no] ?? 0)) && resolve()
      return promise
    },
    kill: async () => {
      await server.kill()
      await writing
    },
  }
}

async function writeUntilKilled({ url }: StartedServer, client: Client, onAnswer: () => void): Promise<void> {
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
