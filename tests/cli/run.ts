/** Runs the built command line in a separate home folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { buildCli } from '../../scripts/build-cli.ts'
import { MAIN } from '../main-file.ts'
import { openFolders } from '../postil.ts'
import type { HostedCommand, HostedResult } from './command-host.ts'

/** The built program. */
export const FILE = await buildCli()

const HOST = fileURLToPath(new URL('command-host.ts', import.meta.url))
/** Less than the limit of a test. */
const COMMAND_MS_MAX = 100_000

export interface CommandResult extends HostedResult {
  /** Parsed output of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it as a whole or look at single values.
  json(): any
}

export interface RunOptions {
  env?: Record<string, string>
  /** Text for standard input. */
  input?: string
  /**
   * In a process of its own, as people run it: its streams are pipes, and it ends only when nothing keeps it alive. Each command
   * has one such run that succeeds; the others share a process.
   */
  isAlone?: boolean
}

export interface Person {
  home: string
  /** Credentials file. */
  file: string
  run(args: string[], options?: RunOptions): Promise<CommandResult>
}

/** Returns a function that creates people with an empty home folder. */
export function openPersons(): () => Person {
  const newFolder = openFolders()
  return () => {
    const home = newFolder()
    return { home, file: `${home}/.cache/postil/credentials.json`, run: (args, options) => run(home, args, options) }
  }
}

/** These run until a signal. */
const ALONE = new Set(['start', 'worker'])

async function run(home: string, args: string[], { env = {}, input = '', isAlone }: RunOptions = {}): Promise<CommandResult> {
  // Only the path is inherited from the caller's environment.
  const given = { PATH: process.env.PATH ?? '', HOME: home, ...env }
  const result =
    isAlone || args.some(arg => ALONE.has(arg))
      ? await runAlone(args, home, given, input)
      : await runHosted({ file: isOfServer(args) ? MAIN : FILE, args, cwd: home, env: given, input })
  return { ...result, json: () => JSON.parse(result.stdout) }
}

/** The program passes them on to the server's, which a process loads only once from there. */
const isOfServer = ([first]: readonly string[]) => first === 'server'

async function runAlone(args: string[], cwd: string, env: Record<string, string>, input: string): Promise<HostedResult> {
  const child = spawn(process.execPath, [FILE, ...args], { cwd, env })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  // A command that fails early does not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code: code ?? -1, stdout, stderr }
}

type RunHosted = (command: HostedCommand) => Promise<HostedResult>

/** One for the files of a worker. It ends when its input is closed, at the latest with the worker. */
let host: RunHosted | null = null

const runHosted: RunHosted = command => {
  host ??= startHost()
  return host(command)
}

function startHost(): RunHosted {
  const child = spawn(process.execPath, [HOST], { cwd: dirname(HOST), stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: PromiseWithResolvers<HostedResult>[] = []
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.resolve(JSON.parse(line)))
  child.once('exit', (code, signal) => {
    host = null
    for (const { reject } of waiting) reject(new Error(`The process of the commands ended with ${signal ?? code}`))
  })
  unref(child)
  return async command => {
    const answer = Promise.withResolvers<HostedResult>()
    waiting.push(answer)
    child.stdin.write(`${JSON.stringify(command)}\n`)
    // The commands after one that hangs get a new process.
    const timer = setTimeout(() => {
      answer.reject(new Error(`\`postil ${command.args.join(' ')}\` did not end within ${COMMAND_MS_MAX / 1000} seconds`))
      child.kill('SIGKILL')
    }, COMMAND_MS_MAX)
    return await answer.promise.finally(() => clearTimeout(timer))
  }
}

/** It must not keep the worker alive. */
function unref(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout]) if (stream && 'unref' in stream) (stream.unref as () => void)()
}

/** Titles and texts of error panels are written to standard output. */
export const failed = (title: string, ...words: string[]) => ({
  code: 1,
  stdout: expect.stringMatching(new RegExp([title, ...words].map(toPattern).join('[\\s\\S]*'))),
})

const toPattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\`]/g, '\\$&')
