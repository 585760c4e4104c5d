/**
 * Names that are new on this server. Callers store the name in the same transaction, so that of two names that look alike and are
 * added at the same time, only one is stored.
 */
import { conflict, notUnique, type Path } from '@postil/domain/errors'
import { looksLike, toNewName } from '@postil/domain/names'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import { usernameTaken } from '../users/store.ts'
import { findSameName, lockNames } from './store.ts'

const AT_USERNAME: Path = ['username']

/** Returns the username as it is stored. */
export async function checkNewUsername(db: Queryable, given: string): Promise<string> {
  const username = toNewName(given, AT_USERNAME)
  await lockNames(db)
  const same = await findSameName(db, 'user', username)
  if (same === username) throw notUnique(`User \`${username}\` already exists`, AT_USERNAME)
  if (same !== null) throw conflict(looksLike(username, same), AT_USERNAME)
  return username
}

/** Like `checkNewUsername`, for another name of an existing user. */
export async function checkChangedUsername(db: Queryable, userId: Id, given: string): Promise<string> {
  const username = toNewName(given, AT_USERNAME)
  await lockNames(db)
  const same = await findSameName(db, 'user', username, userId)
  if (same === username) throw usernameTaken(username)
  if (same !== null) throw conflict(looksLike(username, same), AT_USERNAME)
  return username
}

/**
 * Like `checkNewUsername`, for a person without an account, who must not learn the name that theirs looks like. Who stores the name
 * locks names before.
 */
export async function checkChosenUsername(db: Queryable, given: string): Promise<string> {
  const username = toNewName(given, AT_USERNAME)
  if ((await findSameName(db, 'user', username)) === null) return username
  throw notUnique(`Username \`${username}\` is taken, or looks like one that is`, AT_USERNAME)
}

/** Returns the name of a workspace as it is stored. */
export async function checkNewWorkspaceName(db: Queryable, given: string): Promise<string> {
  const name = toNewName(given, ['name'])
  await lockNames(db)
  const same = await findSameName(db, 'workspace', name)
  if (same === name) throw notUnique(`Workspace \`${name}\` already exists`, ['name'])
  if (same !== null) throw conflict(looksLike(name, same), ['name'])
  return name
}
