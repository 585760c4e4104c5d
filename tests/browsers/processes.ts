/**
 * Programs that tests start, each in its own process group, because a browser consists of many processes and all of them must
 * end.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const START_MS = 180_000
const OUTPUT_CHARACTERS_MAX = 20_000

export interface Program {
  child: ChildProcess
  /** End of the output, both streams. */
  output(): string
  /** Polls until there is a result. The error includes the program's output. */
  waitFor<T>(what: string, find: () => T | null | Promise<T | null>): Promise<T>
  /** Ends the program and all of its processes. */
  end(): Promise<void>
}

export function startProgram(file: string, args: string[], options: Pick<SpawnOptions, 'env' | 'stdio'>): Program {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
    })
  }
  let problem: string | null = null
  const ended = new Promise<void>(resolve => {
    child.once('exit', (code, signal) => {
      problem = `ended (${signal ?? code})`
      resolve()
    })
    child.once('error', error => {
      problem = error.message
      resolve()
    })
  })
  const kill = () => killGroup(child.pid)
  process.once('exit', kill)
  return {
    child,
    output: () => output,
    waitFor: async (what, find) => {
      const end = performance.now() + START_MS
      for (;;) {
        const found = await find()
        if (found !== null) return found
        const failure = problem ?? (performance.now() > end ? 'took too long' : null)
        if (failure) throw new Error(`${file} ${failure} before it had ${what}. It printed:\n${output}`)
        await sleep(50)
      }
    },
    end: async () => {
      kill()
      await ended
      process.off('exit', kill)
    },
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All processes have ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Creates an empty home folder. Removal is retried, because browser processes may still write to it. */
export async function makeHome(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'postil-browser-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) }
}
