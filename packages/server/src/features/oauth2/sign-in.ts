/**
 * Finds the user of an account at a provider by provider, issuer and subject. A matching name or email address is not sufficient.
 */
import { randomBytes } from 'node:crypto'
import type { AuditDetails } from '@postil/domain/audit-log'
import { DomainError } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context, OpenContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { unusablePasswordHash } from '../../lib/password.ts'
import { type Tx, write } from '../../storage/write.ts'
import { listTakenUsernames, lockNames } from '../names/store.ts'
import { openSession } from '../sessions/open.ts'
import { newUserRow } from '../users/new-user.ts'
import { checkIsActive, findUserToChange, insertUser, type UserRow, updateUserRow } from '../users/store.ts'
import { ensureWorkspaces } from '../workspaces/ensure.ts'
import { insertMemberships, listWorkspacesByIds } from '../workspaces/store.ts'
import { ATTEMPT_SECONDS } from './attempt.ts'
import { auditMemberships, auditNewUser, auditNewWorkspaces, auditRole, auditToken } from './audit.ts'
import { loadProvider } from './begin.ts'
import { refusedError } from './errors.ts'
import type { Identity } from './identity.ts'
import * as store from './store.ts'
import type { FinishedSignIn } from './writes.ts'

/** Finds or creates the user. Rejects a state that was used before in any process. */
function signInWithIdentity(
  ctx: OpenContext,
  { identity, state_hash }: FinishedSignIn,
  method: 'session' | 'token',
): Promise<UserRow> {
  return write(ctx, async tx => {
    const now = ctx.now()
    // One extra minute, because the clocks of processes may differ slightly.
    const isNew = await store.insertUsedSignIn(tx, state_hash, { now, expires_at: later(now, ATTEMPT_SECONDS + 60) })
    if (!isNew) throw refusedError('This sign-in was used already. Begin again.')

    const user = await findOrCreateUser(ctx, tx, identity, now)
    if (method === 'token') await auditToken(ctx, tx, user, identity.provider)
    return user
  })
}

/** Signs in for a token, which is not stored. */
export const signInForToken = (ctx: OpenContext, finished: FinishedSignIn) => signInWithIdentity(ctx, finished, 'token')

/** Signs in and opens a session. */
export async function openProviderSession(ctx: OpenContext, finished: FinishedSignIn) {
  const { id, credentials_version } = await signInWithIdentity(ctx, finished, 'session')
  const opened = await openSession(ctx, { user_id: id, credentials_version, provider: finished.identity.provider })
  return { ...opened, credentials: { id, credentials_version } }
}

async function findOrCreateUser(ctx: OpenContext, tx: Tx, identity: Identity, now: string): Promise<UserRow> {
  const userId = await store.findIdentityUserId(tx, identity)
  const user = userId === null ? null : await findUserToChange(tx, userId)
  if (user === null) return createUser(ctx, tx, identity)
  checkIsActive(user)
  await store.touchIdentity(tx, identity, now)
  return loadProvider(ctx, identity.provider).syncUser ? syncUser(ctx, tx, user, identity) : user
}

async function createUser(ctx: OpenContext, tx: Tx, identity: Identity): Promise<UserRow> {
  const row = newUserRow(ctx, {
    id: ctx.newId(),
    first_name: identity.first_name,
    last_name: null,
    username: await findFreeUsername(tx, identity.username),
    role: toRole(ctx, identity),
    passwordHash: unusablePasswordHash(),
    apiKey: ctx.apiKeys.create(),
  })
  await insertUser(tx, row)
  const { provider, issuer, subject } = identity
  const times = { inserted_at: row.inserted_at, last_used_at: row.inserted_at }
  await store.insertIdentity(tx, { provider, issuer, subject, user_id: row.id, ...times })
  const workspaces = await ensureGranted(ctx, tx, identity)
  await join(ctx, tx, row.id, workspaces)
  await auditNewUser(ctx, tx, row, { workspaces: workspaces.map(({ name }) => name), provider })
  return row
}

const VARIANTS = 50

/**
 * Returns the name, or `name-2` and so on if it is taken or looks like one that is. A matching name at a provider must not give
 * access to an existing account.
 */
async function findFreeUsername(tx: Tx, wanted: string): Promise<string> {
  const names = [wanted, ...Array.from({ length: VARIANTS - 1 }, (_, i) => `${wanted}-${i + 2}`)]
  await lockNames(tx)
  const taken = await listTakenUsernames(tx, names)
  return names.find(name => !taken.has(name)) ?? `${wanted}-${randomBytes(6).toString('hex')}`
}

const toRole = (ctx: Context, { provider, role }: Identity): Role => role ?? loadProvider(ctx, provider).defaultRole

/** With `sync_user`, the provider determines role and memberships. The last owner remains an owner. */
async function syncUser(ctx: OpenContext, tx: Tx, user: UserRow, identity: Identity): Promise<UserRow> {
  const { provider } = identity
  const wanted = await ensureGranted(ctx, tx, identity)
  const present = await store.listWorkspaceIdsOf(tx, user.id)
  const wantedIds = wanted.map(({ id }) => id)
  const removedIds = present.filter(id => !wantedIds.includes(id))
  const removed = removedIds.length === 0 ? [] : await listWorkspacesByIds(tx, removedIds)
  const added = wanted.filter(({ id }) => !present.includes(id))
  await store.deleteMembershipsOf(tx, user.id, removedIds)
  await join(ctx, tx, user.id, added)
  await auditMemberships(ctx, tx, { user, added, removed }, provider)

  const role = toRole(ctx, identity)
  if (role === user.role) return user
  if (user.role === 'owner' && !(await store.hasOtherOwner(tx, user.id))) return user
  // A role change invalidates existing tokens.
  const row = { ...user, role, credentials_version: user.credentials_version + 1, updated_at: ctx.now() }
  await updateUserRow(tx, row)
  await auditRole(ctx, tx, { before: user, after: row }, provider)
  return row
}

async function join(ctx: Context, tx: Tx, userId: Id, workspaces: readonly Workspace[]): Promise<void> {
  const inserted_at = ctx.now()
  await insertMemberships(
    tx,
    workspaces.map(({ id }) => ({ workspace_id: id, user_id: userId, inserted_at })),
  )
}

/** Creates missing workspaces. `details` are for the audit log. */
async function ensureAudited(ctx: Context, tx: Tx, names: readonly string[], details: AuditDetails): Promise<Workspace[]> {
  const { workspaces, created } = await ensureWorkspaces(ctx, tx, names)
  await auditNewWorkspaces(ctx, tx, created, details)
  return workspaces
}

/** The person who signs in may not know the workspaces of this server, so the message does not name the other one. */
async function ensureGranted(ctx: Context, tx: Tx, identity: Identity): Promise<Workspace[]> {
  const { provider, workspaces } = identity
  try {
    return await ensureAudited(ctx, tx, workspaces ?? ctx.config.oauth.allowedWorkspaces, { provider })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw refusedError('A workspace that you should get has a name that looks like another one. Ask an owner of this server.')
  }
}

/** Creates the workspaces for new users at server start. */
export async function createAllowedWorkspaces(ctx: Context): Promise<void> {
  const { allowedWorkspaces } = ctx.config.oauth
  if (allowedWorkspaces.length === 0) return
  try {
    await write(ctx, tx => ensureAudited(ctx, tx, allowedWorkspaces, { command: 'start' }))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new OperatorError(`A workspace of \`allowed_workspaces\` cannot be created. ${error.message}.`, { cause: error })
  }
}
