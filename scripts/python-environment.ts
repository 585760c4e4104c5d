/**
 * Python virtual environments for tools that the tests run. Each is created once; a stamp file with the list of requirements
 * shows whether it is up to date.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PIP_OPTIONS = ['--quiet', '--no-input', '--disable-pip-version-check', '--retries', '2', '--timeout', '20']
const IS_WINDOWS = process.platform === 'win32'

/** The interpreter of the environment, or the reason why there is none. */
export type PythonEnvironment = { python: string } | { reason: string }

export interface PythonTool {
  /** Name in messages. */
  name: string
  /** Folder of the environment, relative to the root of the repository; git must ignore it. */
  folder: string
  requirements: readonly string[]
}

export function preparePythonEnvironment(root: string, { name, folder, requirements }: PythonTool): PythonEnvironment {
  const path = join(root, folder)
  const python = join(path, IS_WINDOWS ? 'Scripts/python.exe' : 'bin/python')
  const stamp = join(path, 'requirements.txt')
  const wanted = `${requirements.join('\n')}\n`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && run(python, ['-c', 'pass'])) return { python }

  const system = ['python3', 'python'].find(isRecentPython)
  if (!system) return { reason: 'no Python 3.9 or newer was found' }

  console.log(`Preparing ${name} in ${folder}; the first time takes a minute …`)
  rmSync(path, { recursive: true, force: true })
  if (!makeEnvironment(system, path, join(root, '.cache', 'virtualenv'))) {
    return {
      reason: 'Python could make no virtual environment: its venv module is missing and virtualenv could not be installed',
    }
  }
  if (!run(python, ['-m', 'pip', 'install', ...PIP_OPTIONS, ...requirements], { loud: true })) {
    return { reason: `pip could not install ${name}; it needs to reach its registry` }
  }
  writeFileSync(stamp, wanted)
  return { python }
}

const isRecentPython = (command: string) => run(command, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])

/**
 * Uses Python's `venv` module or, if the distribution does not include it, virtualenv in a separate folder, so that the system is
 * not changed.
 */
function makeEnvironment(python: string, folder: string, virtualenvFolder: string): boolean {
  if (run(python, ['-m', 'venv', folder])) return true
  rmSync(folder, { recursive: true, force: true })
  if (run(python, ['-m', 'virtualenv', '--quiet', folder])) return true
  const isInstalled = run(python, ['-m', 'pip', 'install', ...PIP_OPTIONS, '--target', virtualenvFolder, 'virtualenv'], {
    loud: true,
  })
  return (
    isInstalled && run(python, ['-m', 'virtualenv', '--quiet', folder], { loud: true, env: { PYTHONPATH: virtualenvFolder } })
  )
}

function run(command: string, args: string[], options: { loud?: boolean; env?: Record<string, string> } = {}): boolean {
  const output = options.loud ? 'inherit' : 'ignore'
  const outcome = spawnSync(command, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, PIP_ROOT_USER_ACTION: 'ignore', ...options.env },
  })
  return outcome.status === 0
}
