/** Runs a program of node_modules as one step of the tests, and measures the processor time of everything that it starts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ToolOptions {
  root: string
  env: Record<string, string>
  /** Path of a file; null for the terminal. */
  output: string | null
  /** True for a higher priority than other steps. */
  isAhead: boolean
}

export interface ToolOutcome {
  isFine: boolean
  seconds: number
  /** Of the program and of all programs that it started and waited for; null where the system does not tell. */
  processorSeconds: number | null
}

/** The shell's `times` prints the processor time of ended children; Node cannot ask for it. */
const MEASURE = '"$@"; code=$?; times >"$0"; exit $code'

/** It ends with this process. */
export async function runTool([program = '', ...args]: readonly string[], options: ToolOptions): Promise<ToolOutcome> {
  const begin = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'postil-times-'))
  const times = join(folder, 'times')
  const command = [process.execPath, join(options.root, 'node_modules', program), ...args]
  const hasShell = process.platform !== 'win32'
  const [file = '', ...rest] = hasShell ? ['sh', '-c', MEASURE, times, ...command] : command
  const output = options.output === null ? 'inherit' : openSync(options.output, 'w')
  const child = spawn(file, rest, {
    cwd: options.root,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...options.env },
    // A group of its own, so that the shell and its program end together.
    detached: hasShell,
  })
  if (typeof output === 'number') closeSync(output)
  if (!options.isAhead && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  const stop = () => {
    if (child.pid === undefined) return
    process.kill(hasShell ? -child.pid : child.pid)
  }
  process.once('exit', stop)
  const [code] = await once(child, 'exit')
  process.off('exit', stop)
  const processorSeconds = hasShell ? readTimes(times) : null
  rmSync(folder, { recursive: true, force: true })
  return { isFine: code === 0, seconds: (performance.now() - begin) / 1000, processorSeconds }
}

/** The second line is that of the children: `1m2.50s 0m3.25s`. */
function readTimes(path: string): number | null {
  const line = readFileSync(path, 'utf8').split('\n')[1] ?? ''
  const parts = Array.from(line.matchAll(/(\d+)m([\d.]+)s/g), ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds))
  return parts.length === 2 ? parts.reduce((sum, part) => sum + part, 0) : null
}
