/** Reads code blocks of the documentation and runs them unchanged. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RunProgram, startProgramHost } from './program-host.ts'
import { findPython, toEnvironment } from './python-runner.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** The code blocks of a page in one language, in their order. */
export const readBlocks = (path: string, language: 'python' | 'sh'): string[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text)

interface BlockOptions {
  cwd: string
  env: Record<string, string>
}

/** By default curl exits with 0 for every HTTP status. */
const STRICT_CURL = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }\n'

/** Resolves with the standard output. Rejects if a command fails. */
export async function runShell(script: string, { cwd, env }: BlockOptions): Promise<string> {
  const { stdout } = await execute('sh', ['-euc', STRICT_CURL + script], { cwd, env: { PATH: process.env.PATH, ...env } })
  return stdout
}

/** One for the files of a worker. */
let sdkHost: RunProgram | null = null

/** Runs a program with the public SDK, which is loaded already. Resolves with its output. */
export async function runWithSdk(text: string, { cwd, env: given, args = [] }: BlockOptions & { args?: string[] }) {
  const env = toEnvironment({ ...given, HF_HOME: cwd })
  sdkHost ??= startProgramHost({ python: findPython(), load: 'import argilla', env })
  const outcome = await sdkHost({ name: join(cwd, 'program.py'), text, args, cwd, env })
  if (outcome.status !== 0) throw new Error(`The program ended with ${outcome.status}:\n${outcome.stderr}`)
  return outcome.stdout
}

/** Like `runWithSdk` in a new process, for variables that are read while modules are loaded, and for other environments. */
export async function runPython(program: string, { cwd, env, python = findPython() }: BlockOptions & { python?: string }) {
  const { stdout } = await execute(python, ['-c', program], { cwd, env: toEnvironment({ ...env, HF_HOME: cwd }) })
  return stdout
}
