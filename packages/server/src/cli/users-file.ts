/** The file of `database users migrate`: users of a 1.x server, as a YAML list. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { CommandUser } from '../features/users/command-line.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { isBcryptHash } from '../lib/password.ts'

/** Throws an OperatorError that names the invalid entry and the reason. */
export function readUsersFile(path: string): CommandUser[] {
  const entries = parseFile(path)
  if (!Array.isArray(entries)) throw new OperatorError(`${path} is not a list of users.`)
  return entries.map((entry, index) => toUser(entry, `Entry ${index + 1} of ${path}`))
}

function parseFile(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { message } = error as Error
    throw new OperatorError(`The file of users cannot be read: ${message}. SERVICE_USERS_DB_FILE names it.`)
  }
  try {
    return parse(text)
  } catch (error) {
    // Only the line number is shown, because the parser's message contains the line, which may contain a key.
    const line = (error as { linePos?: { line: number }[] }).linePos?.[0]?.line
    throw new OperatorError(`${path} is not valid YAML${line === undefined ? '' : ` (line ${line})`}.`)
  }
}

function toUser(entry: unknown, place: string): CommandUser {
  const { username, full_name, api_key, hashed_password, workspaces } = Object(entry) as Record<string, unknown>
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  if (!isText(username)) throw new OperatorError(`${place} has no username.`)
  const wrong = (what: string) => new OperatorError(`${place} (${username}): ${what}`)
  if (!isText(api_key)) throw wrong('api_key should be a text.')
  if (!isText(hashed_password) || !isBcryptHash(hashed_password)) throw wrong('hashed_password should be a bcrypt hash.')
  if (full_name != null && typeof full_name !== 'string') throw wrong('full_name should be a text.')
  if (workspaces != null && !(Array.isArray(workspaces) && workspaces.every(isText))) {
    throw wrong('workspaces should be a list of names.')
  }
  const names = (workspaces ?? []) as string[]
  return {
    first_name: full_name ?? '',
    last_name: null,
    username,
    role: workspaces == null ? 'owner' : 'annotator',
    passwordHash: hashed_password,
    apiKey: api_key,
    workspaces: names.includes(username) ? names : [username, ...names],
  }
}
