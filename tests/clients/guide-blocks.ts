/** Reads code blocks of the documentation and runs them unchanged. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runSdkProgram } from './program-host.ts'
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

/** Resolves with the standard output. Rejects if the program fails. The public SDK is loaded already. */
export async function runWithSdk(text: string, { cwd, env }: BlockOptions): Promise<string> {
  const { status, stdout, stderr } = await runSdkProgram({ text, cwd, env })
  if (status !== 0) throw new Error(`The program ended with ${status}:\n${stderr}`)
  return stdout
}

/** Like `runWithSdk` in a new process, for variables that are read while modules are loaded, and for other environments. */
export async function runPython(program: string, { cwd, env, python = findPython() }: BlockOptions & { python?: string }) {
  const { stdout } = await execute(python, ['-c', program], { cwd, env: toEnvironment({ ...env, HF_HOME: cwd }) })
  return stdout
}
