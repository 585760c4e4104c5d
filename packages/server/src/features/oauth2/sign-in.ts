/**
 * Finds the user of an account at a provider by provider, issuer and subject. A matching name or email address is not sufficient.
 */
import { randomBytes } from 'node:crypto'
import type { AuditDetails } from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context, OpenContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { unusablePasswordHash } from '../../lib/password.ts'
import { type Tx, write } from '../../storage/write.ts'
import { openSession } from '../sessions/open.ts'
import { newUserRow } from '../users/new-user.ts'
import { checkIsActive, findUserToChange, type UserRow, updateUserRow } from '../users/store.ts'
import { insertMemberships, listWorkspacesByIds, listWorkspacesByNames } from '../workspaces/store.ts'
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
  await store.insertNewUser(tx, row)
  const { provider, issuer, subject } = identity
  const times = { inserted_at: row.inserted_at, last_used_at: row.inserted_at }
  await store.insertIdentity(tx, { provider, issuer, subject, user_id: row.id, ...times })
  const workspaces = await ensureWorkspaces(ctx, tx, toWorkspaceNames(ctx, identity), { provider })
  await join(ctx, tx, row.id, workspaces)
  await auditNewUser(ctx, tx, row, { workspaces: workspaces.map(({ name }) => name), provider })
  return row
}

const VARIANTS = 50

/**
 * Returns the name, or `name-2` and so on if it is taken. A matching name at a provider must not give access to an existing
 * account.
 */
async function findFreeUsername(tx: Tx, wanted: string): Promise<string> {
  const names = [wanted, ...Array.from({ length: VARIANTS - 1 }, (_, i) => `${wanted}-${i + 2}`)]
  const taken = await store.listTakenUsernames(tx, names)
  return names.find(name => !taken.has(name)) ?? `${wanted}-${randomBytes(6).toString('hex')}`
}

const toRole = (ctx: Context, { provider, role }: Identity): Role => role ?? loadProvider(ctx, provider).defaultRole
const toWorkspaceNames = ({ config }: Context, { workspaces }: Identity) => workspaces ?? config.oauth.allowedWorkspaces

/** With `sync_user`, the provider determines role and memberships. The last owner remains an owner. */
async function syncUser(ctx: OpenContext, tx: Tx, user: UserRow, identity: Identity): Promise<UserRow> {
  const { provider } = identity
  const wanted = await ensureWorkspaces(ctx, tx, toWorkspaceNames(ctx, identity), { provider })
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

/** Returns the workspaces with these names and creates missing ones. `details` are for the audit log. */
async function ensureWorkspaces(ctx: Context, tx: Tx, names: readonly string[], details: AuditDetails): Promise<Workspace[]> {
  const known = new Set((await listWorkspacesByNames(tx, names)).map(({ name }) => name))
  const now = ctx.now()
  const missing = names
    .filter(name => !known.has(name))
    .map(name => ({ id: ctx.newId(), name, inserted_at: now, updated_at: now }))
  await store.insertMissingWorkspaces(tx, missing)
  const workspaces = await listWorkspacesByNames(tx, names)
  // Logs only workspaces created here; another process may have created one of the same name concurrently.
  const made = workspaces.filter(({ id }) => missing.some(workspace => workspace.id === id))
  await auditNewWorkspaces(ctx, tx, made, details)
  return workspaces
}

/** Creates the workspaces for new users at server start. */
export async function createAllowedWorkspaces(ctx: Context): Promise<void> {
  const { allowedWorkspaces } = ctx.config.oauth
  if (allowedWorkspaces.length > 0) await write(ctx, tx => ensureWorkspaces(ctx, tx, allowedWorkspaces, { command: 'start' }))
}
