/** Runs `pg_dump` and `pg_restore` from PostgreSQL's client packages. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { environmentWith } from '../config.ts'
import { OperatorError } from '../lib/operator-error.ts'

type ToolName = 'pg_dump' | 'pg_restore'

export interface Tool {
  name: ToolName
  /** For example `18.4`. */
  version: string
  major: number
  path: string
}

/** Finds a tool in a folder, or on PATH. `majorMin` is the version of the server or dump that it must read. */
export async function findTool(
  name: ToolName,
  folder: string | null,
  { majorMin, of }: { majorMin: number; of: string },
): Promise<Tool> {
  const path = folder === null ? name : join(folder, name)
  const install =
    `Install PostgreSQL's client programs of version ${majorMin} or newer (on Debian: postgresql-client-${majorMin}), ` +
    'or name their folder with --postgres-tools.'
  const found = /\(PostgreSQL\) ((\d+)[\w.]*)/.exec(await askVersion(path, folder, install))
  if (found === null) throw new OperatorError(`${path} does not tell a version as ${name} does. ${install}`)
  const [, version = '', major = ''] = found
  if (Number(major) >= majorMin) return { name, path, version, major: Number(major) }
  throw new OperatorError(`${path} is of version ${version}, which cannot read ${of}. ${install}`)
}

async function askVersion(path: string, folder: string | null, install: string): Promise<string> {
  const child = spawn(path, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  try {
    await once(child, 'close')
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new OperatorError(`${path} was not found${folder === null ? ' on PATH' : ''}. ${install}`)
    if (code === 'EACCES') throw new OperatorError(`${path} cannot be run: this user may not execute it. ${install}`)
    throw error
  }
}

interface RunOptions {
  /**
   * Database URL; null if the tool uses no database. The password is passed in the environment, because every user of the machine
   * can read command lines.
   */
  url: string | null
  /** Terminates the tool when aborted. */
  signal?: AbortSignal
  /** Receives the standard output. */
  onOutput?: (bytes: Buffer) => void
}

/** How much of the end of the tool's output is used in the error message. */
const ERROR_CHARS_MAX = 2_000

/** Runs a tool to its end. Throws an error with its output if it fails. */
export async function runTool(
  { name, path }: Tool,
  args: readonly string[],
  { url, signal, onOutput }: RunOptions,
): Promise<void> {
  const { target, variables } = url === null ? { target: [], variables: {} } : toConnection(url)
  const child = spawn(path, [...target, ...args], {
    env: environmentWith(variables),
    stdio: ['ignore', onOutput ? 'pipe' : 'ignore', 'pipe'],
  })
  // Not the `signal` option of `spawn`, which does not wait until the tool has ended.
  const onAbort = () => child.kill('SIGTERM')
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  if (onOutput) child.stdout?.on('data', onOutput)
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    errors = (errors + part).slice(-ERROR_CHARS_MAX)
  })
  const [code, killedBy] = await once(child, 'close').finally(() => signal?.removeEventListener('abort', onAbort))
  if (code === 0) return
  throw new OperatorError(`${name} failed (${killedBy ?? `exit code ${code}`}): ${errors.trim() || 'it said nothing'}`)
}

/** Returns the database as an argument without the password, and the environment variables. */
export function toConnection(url: string): { target: string[]; variables: Record<string, string> } {
  const [, user = '', password, rest = '', query = ''] =
    /^postgresql:\/\/(?:([^:@/?]*)(?::([^/?]*))?@)?([^?]*)(?:\?(.*))?$/.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const secret = parameters.get('password') ?? (password === undefined ? null : decodeURIComponent(password))
  parameters.delete('password')
  // Only the Node driver supports this parameter.
  parameters.delete('uselibpqcompat')
  // The Node driver trusts the system's certificate authorities by default, the tools only with this parameter.
  if (parameters.get('sslmode') === 'verify-full' && !parameters.has('sslrootcert')) parameters.set('sslrootcert', 'system')
  // Not `URLSearchParams.toString`, which encodes a space as `+`.
  const pairs = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const target = `postgresql://${user === '' ? '' : `${user}@`}${rest}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
  return { target: [`--dbname=${target}`], variables: secret === null ? {} : { PGPASSWORD: secret } }
}
