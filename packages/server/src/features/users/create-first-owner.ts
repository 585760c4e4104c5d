/**
 * Creates the first owner of a new server, either from the environment or, if there are no users, with a random password and API
 * key. No server has a well-known credential.
 */
import { randomBytes } from 'node:crypto'
import { DomainError } from '@postil/domain/errors'
import type { FirstOwner } from '../../config.ts'
import type { Context } from '../../context.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { asTarget, audit } from '../audit-log/add.ts'
import { checkNewUsername } from '../names/check.ts'
import { joinWorkspaces } from './join-workspaces.ts'
import { newUserRow } from './new-user.ts'
import { findUserByUsername, hasUsers, insertUser } from './store.ts'

/** Generated credentials in clear text, which are available only now. Null for given ones. */
export interface CreatedOwner {
  username: string
  password: string | null
  apiKey: string | null
}

/**
 * Creates the owner and their workspace, or returns null if there is no need to. An existing user of that name remains unchanged.
 */
export async function createFirstOwner(ctx: Context, given: FirstOwner | null): Promise<CreatedOwner | null> {
  try {
    return await ctx.db.alone(() => createAlone(ctx, given))
  } catch (error) {
    // Of the names only: another failure is none of the settings.
    if (!(error instanceof DomainError) || error.at.length === 0) throw error
    throw new OperatorError(`The owner cannot be created from USERNAME and WORKSPACE. ${error.message}.`, { cause: error })
  }
}

async function createAlone(ctx: Context, given: FirstOwner | null): Promise<CreatedOwner | null> {
  if (!(await isNeeded(ctx.db, given))) return null
  const owner = toOwner(ctx, given)
  const passwordHash = await ctx.passwords.hash(owner.password, { source: 'start', isKnown: true })

  return write(ctx, async tx => {
    const { apiKey } = owner
    const username = await checkNewUsername(tx, owner.username)
    const names = { first_name: username, last_name: null, username }
    const row = newUserRow(ctx, { id: null, ...names, role: 'owner', passwordHash, apiKey })
    await insertUser(tx, row)
    if (owner.workspace !== null) await joinWorkspaces(ctx, tx, [owner.workspace], row.id)
    const details = { role: row.role, workspaces: owner.workspace === null ? [] : [owner.workspace], command: 'start' }
    await audit(tx, ctx, { action: 'user.created', target: asTarget(row), details })
    return { username, password: given ? null : owner.password, apiKey: given?.apiKey ? null : apiKey }
  })
}

async function isNeeded(db: Queryable, given: FirstOwner | null): Promise<boolean> {
  return given ? (await findUserByUsername(db, given.username)) === null : !(await hasUsers(db))
}

function toOwner(ctx: Context, given: FirstOwner | null): FirstOwner & { apiKey: string } {
  const made = { username: 'owner', password: randomBytes(18).toString('base64url'), workspace: 'default' }
  return { ...(given ?? made), apiKey: given?.apiKey ?? ctx.apiKeys.create() }
}
