/** Runs the built command line in a separate home folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { buildCli } from '../../scripts/build-cli.ts'
import { openFolders } from '../postil.ts'

/** The built program. */
export const FILE = await buildCli()

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
  /** Parsed output of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it as a whole or look at single values.
  json(): any
}

interface RunOptions {
  env?: Record<string, string>
  /** Text for standard input. */
  input?: string
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

async function run(home: string, args: string[], { env = {}, input = '' }: RunOptions = {}): Promise<CommandResult> {
  // Only the path is inherited from the caller's environment.
  const child = spawn(process.execPath, [FILE, ...args], { cwd: home, env: { PATH: process.env.PATH, HOME: home, ...env } })
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
  return { code: code ?? -1, stdout, stderr, json: () => JSON.parse(stdout) }
}

/** Titles and texts of error panels are written to standard output. */
export const failed = (title: string, ...words: string[]) => ({
  code: 1,
  stdout: expect.stringMatching(new RegExp([title, ...words].map(toPattern).join('[\\s\\S]*'))),
})

const toPattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\`]/g, '\\$&')
