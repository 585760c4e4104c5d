/** The file that `login` writes: server URL, API key and default workspace. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCacheFolder } from './environment.ts'
import { Failure } from './failure.ts'

export interface Credentials {
  api_url: string
  api_key: string
  workspace: string | null
  extra_headers: Record<string, string>
}

const fileOf = () => join(readCacheFolder(), 'credentials.json')

/** Replaces the file atomically. It is readable only by its owner from the moment it is created. */
export function storeCredentials(credentials: Credentials): void {
  const file = fileOf()
  const temporary = `${file}.${process.pid}.new`
  withFileErrors(file, () => {
    mkdirSync(readCacheFolder(), { recursive: true, mode: 0o700 })
    try {
      rmSync(temporary, { force: true })
      writeFileSync(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
      chmodSync(temporary, 0o600)
      renameSync(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
}

export function findCredentials(): Credentials | null {
  const text = readText()
  return text === null ? null : toCredentials(text)
}

export const hasCredentials = () => readText() !== null

export const deleteCredentials = () => withFileErrors(fileOf(), () => rmSync(fileOf(), { force: true }))

function readText(): string | null {
  return withFileErrors(fileOf(), () => {
    try {
      return readFileSync(fileOf(), 'utf8')
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
      throw error
    }
  })
}

/** Parses the file. `workspace` and `extra_headers` are optional. */
function toCredentials(text: string): Credentials {
  const damaged = new Failure(
    'Credentials error',
    `${fileOf()} is not a credentials file. Run \`postil login\` again, which replaces it.`,
  )
  let found: Partial<Record<keyof Credentials, unknown>> | null
  try {
    found = JSON.parse(text)
  } catch {
    throw damaged
  }
  const { api_url, api_key, workspace = null, extra_headers } = found ?? {}
  const isKnown = typeof api_url === 'string' && typeof api_key === 'string'
  if (!isKnown || (workspace !== null && typeof workspace !== 'string')) throw damaged
  return { api_url, api_key, workspace, extra_headers: toHeaders(extra_headers ?? {}) ?? {} }
}

/** Returns null unless the value is an object of strings. */
export function toHeaders(value: unknown): Record<string, string> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return Object.values(value).every(one => typeof one === 'string') ? (value as Record<string, string>) : null
}

function withFileErrors<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    const { message } = error as Error
    throw new Failure('Credentials error', `${file} cannot be used: ${message}. SERVICE_CACHE_DIR names another folder.`, {
      cause: error,
    })
  }
}
