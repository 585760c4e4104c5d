/** Starts of a server that are killed, or whose folder is copied, while they are under way. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { MAIN } from '../main-file.ts'
import { pause } from './moments.ts'

export interface Seen {
  output: string
  /** True if the server is ready. */
  isThrough: boolean
}

/** Starts a server and calls `look` about every millisecond, with its process id, until it returns true. Then kills it. */
export async function killStart(home: string, look: (seen: Seen, pid: number) => boolean | Promise<boolean>): Promise<Seen> {
  const env = { PATH: process.env.PATH ?? '', SERVICE_HOME_PATH: home }
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const see = () => ({ output, isThrough: output.includes('serves at') })
  try {
    while (child.exitCode === null && !(await look(see(), child.pid ?? 0)) && !see().isThrough) await setTimeout(1)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
  return see()
}

/** Works while a start stands still. Returns how long that took in milliseconds. */
export async function whilePaused(pid: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await pause(pid)
  try {
    await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  return performance.now() - began
}
