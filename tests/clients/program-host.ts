/** Runs Python programs with a client, each in a process that is forked from one which has loaded the client. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('program_host.py', import.meta.url))
const STDERR_SHOWN_MAX = 4000

interface Program {
  /** In messages. Its folder is searched for modules. */
  name: string
  text: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
}

interface ProgramOutcome {
  /** Negative if a signal ended it, as after 100 seconds. */
  status: number
  stdout: string
  stderr: string
}

/** Programs run one after the other. */
export type RunProgram = (program: Program) => Promise<ProgramOutcome>

interface HostOptions {
  python: string
  /** Statements that load the client. */
  load: string
  /** Also of what is loaded. */
  env: NodeJS.ProcessEnv
}

/** Starts the process. It ends when its input is closed, at the latest with this one. */
export function startProgramHost({ python, load, env }: HostOptions): RunProgram {
  const child = spawn(python, [HOST, load], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting: PromiseWithResolvers<ProgramOutcome>[] = []
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_SHOWN_MAX)
  })
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.resolve(JSON.parse(line)))
  let lost: Error | null = null
  child.once('close', code => {
    lost = new Error(`The process of the programs ended with code ${code}.\n${said}`)
    for (const { reject } of waiting) reject(lost)
  })
  // Writing to a process that has ended fails, which `close` reports.
  child.stdin.on('error', () => {})
  return async program => {
    if (lost !== null) throw lost
    const outcome = Promise.withResolvers<ProgramOutcome>()
    waiting.push(outcome)
    child.stdin.write(`${JSON.stringify(program)}\n`)
    return outcome.promise
  }
}
