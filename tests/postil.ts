/** Runs the command line like an operator, and creates folders for it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { databaseSettings } from './databases/postgres.ts'
import { MAIN } from './main-file.ts'

interface RunOptions {
  cwd?: string | undefined
  /** Shell commands to run before the command, such as `ulimit -n 64`. */
  shell?: string
}

/** Runs `postil` until it ends. Only the path is inherited from the caller's environment. */
export function postil(args: string[], env: Record<string, string>, { cwd, shell }: RunOptions = {}) {
  const command = [process.execPath, MAIN, ...args]
  const [file = '', ...rest] = shell === undefined ? command : ['sh', '-c', `${shell}; exec "$0" "$@"`, ...command]
  const { status, stdout, stderr } = spawnSync(file, rest, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...databaseSettings(env.SERVICE_HOME_PATH), ...env },
    encoding: 'utf8',
    timeout: 600_000,
  })
  return { status, stdout, stderr }
}

/** Returns a function that creates folders, which are deleted after the tests of the file. */
export function openFolders(): () => string {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'postil-home-'))
    folders.push(folder)
    return folder
  }
}
