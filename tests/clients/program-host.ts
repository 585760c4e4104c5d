/** Runs Python programs with the public SDK, each in a process that is forked from one which has loaded it. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findPython, toEnvironment } from './python-runner.ts'

const HOST = fileURLToPath(new URL('program_host.py', import.meta.url))
const STDERR_SHOWN_MAX = 4000

interface Program {
  text: string
  args?: readonly string[]
  cwd: string
  env: Record<string, string>
}

interface Outcome {
  /** Negative if a signal ended it. */
  status: number
  stdout: string
  stderr: string
}

type RunProgram = (program: Program) => Promise<Outcome>

/** One for the files of a worker. It ends when its input is closed, at the latest with the worker. */
let host: RunProgram | null = null

/** Programs run one after the other. */
export const runSdkProgram: RunProgram = program => {
  const env = toEnvironment({ ...program.env, HF_HOME: program.cwd })
  host ??= startHost(env)
  return host({ ...program, args: program.args ?? [], env: env as Record<string, string> })
}

function startHost(env: NodeJS.ProcessEnv): RunProgram {
  const child = spawn(findPython(), [HOST], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting: PromiseWithResolvers<Outcome>[] = []
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_SHOWN_MAX)
  })
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.resolve(JSON.parse(line)))
  child.once('close', code => {
    host = null
    for (const { reject } of waiting) reject(new Error(`The process of the programs ended with code ${code}.\n${said}`))
  })
  return program => {
    const outcome = Promise.withResolvers<Outcome>()
    waiting.push(outcome)
    child.stdin.write(`${JSON.stringify(program)}\n`)
    return outcome.promise
  }
}
