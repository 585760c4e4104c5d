/** The user to whom an account at a provider belongs. Found by provider, issuer and subject; an equal name or e-mail says nothing. */
import { randomBytes } from 'node:crypto'
import type { AuditDetails } from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { Context, OpenContext } from '../../context.ts'
import { later } from '../../lib/clock.ts'
import { unusablePasswordHash } from '../../lib/password.ts'
import { type Tx, write } from '../../storage/write.ts'
import { asTarget, audit, auditAll } from '../audit-log/add.ts'
import { openSession } from '../sessions/open.ts'
import { newUserRow } from '../users/new-user.ts'
import { checkIsActive, findUserToChange, type UserRow, updateUserRow } from '../users/store.ts'
import { insertMemberships, listWorkspacesByNames } from '../workspaces/store.ts'
import { ATTEMPT_SECONDS } from './attempt.ts'
import { loadProvider } from './begin.ts'
import { refused } from './errors.ts'
import type { Identity } from './identity.ts'
import * as store from './store.ts'
import type { FinishedSignIn } from './writes.ts'

/** Finds the user, or makes one. A state that was used before, in any process, is refused. */
export function signInWithIdentity(ctx: OpenContext, { identity, state_hash }: FinishedSignIn): Promise<UserRow> {
  return write(ctx, async tx => {
    const now = ctx.now()
    // A minute more: clocks of processes differ a little.
    const isNew = await store.insertUsedSignIn(tx, state_hash, { now, expires_at: later(now, ATTEMPT_SECONDS + 60) })
    if (!isNew) throw refused('This sign-in was used already. Begin again.')

    const userId = await store.findIdentityUserId(tx, identity)
    const user = userId === null ? null : await findUserToChange(tx, userId)
    if (user === null) return createUser(ctx, tx, identity)
    checkIsActive(user)
    await store.touchIdentity(tx, identity, now)
    return loadProvider(ctx, identity.provider).syncUser ? syncUser(ctx, tx, user, identity) : user
  })
}

/** The same, for a token, which is not stored anywhere. */
export async function signInForToken(ctx: OpenContext, finished: FinishedSignIn): Promise<UserRow> {
  const user = await signInWithIdentity(ctx, finished)
  const details = { method: 'token', provider: finished.identity.provider }
  const signedIn = { action: 'user.signed_in', target: asTarget(user), details } as const
  await write(ctx, tx => audit(tx, { ...ctx, actor: user }, signedIn))
  return user
}

/** The same, and begins a session. */
export async function openProviderSession(ctx: OpenContext, finished: FinishedSignIn) {
  const { id, credentials_version } = await signInWithIdentity(ctx, finished)
  const opened = await openSession(ctx, { user_id: id, credentials_version, provider: finished.identity.provider })
  return { ...opened, credentials: { id, credentials_version } }
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
  const workspaces = toWorkspaceNames(ctx, identity)
  await join(ctx, tx, row.id, await ensureWorkspaces(ctx, tx, workspaces, { provider }))
  await audit(tx, ctx, {
    action: 'user.created',
    target: asTarget(row),
    details: { role: row.role, workspaces: [...workspaces], provider },
  })
  return row
}

const VARIANTS = 50

/** The name, or `name-2` and so on when others have it: nobody gets into an account by having its name elsewhere. */
async function findFreeUsername(tx: Tx, wanted: string): Promise<string> {
  const names = [wanted, ...Array.from({ length: VARIANTS - 1 }, (_, i) => `${wanted}-${i + 2}`)]
  const taken = await store.listTakenUsernames(tx, names)
  return names.find(name => !taken.has(name)) ?? `${wanted}-${randomBytes(6).toString('hex')}`
}

const toRole = (ctx: Context, { provider, role }: Identity): Role => role ?? loadProvider(ctx, provider).defaultRole
const toWorkspaceNames = ({ config }: Context, { workspaces }: Identity) => workspaces ?? config.oauth.allowedWorkspaces

/** With `sync_user`, role and memberships are the provider's to decide. The last owner stays one. */
async function syncUser(ctx: OpenContext, tx: Tx, user: UserRow, identity: Identity): Promise<UserRow> {
  const names = toWorkspaceNames(ctx, identity)
  const wanted = await ensureWorkspaces(ctx, tx, names, { provider: identity.provider })
  const hasMoved = await syncMemberships(ctx, tx, user.id, wanted)
  const row = await syncRole(ctx, tx, user, toRole(ctx, identity))
  if (!hasMoved && row === user) return user

  const role = row === user ? {} : { role: { from: user.role, to: row.role } }
  const details = { provider: identity.provider, ...role, ...(hasMoved && { workspaces: [...names] }) }
  await audit(tx, ctx, { action: 'user.updated', target: asTarget(user), details })
  return row
}

/** Answers whether there was anything to change. */
async function syncMemberships(ctx: Context, tx: Tx, userId: Id, wanted: readonly Id[]): Promise<boolean> {
  const present = await store.listWorkspaceIdsOf(tx, userId)
  const left = present.filter(id => !wanted.includes(id))
  const joined = wanted.filter(id => !present.includes(id))
  await store.deleteMembershipsOf(tx, userId, left)
  await join(ctx, tx, userId, joined)
  return left.length + joined.length > 0
}

async function syncRole(ctx: Context, tx: Tx, user: UserRow, role: Role): Promise<UserRow> {
  if (role === user.role) return user
  if (user.role === 'owner' && !(await store.hasOtherOwner(tx, user.id))) return user
  // Tokens end with a change of role.
  const row = { ...user, role, credentials_version: user.credentials_version + 1, updated_at: ctx.now() }
  await updateUserRow(tx, row)
  return row
}

async function join(ctx: Context, tx: Tx, userId: Id, workspaceIds: readonly Id[]): Promise<void> {
  const inserted_at = ctx.now()
  await insertMemberships(
    tx,
    workspaceIds.map(workspace_id => ({ workspace_id, user_id: userId, inserted_at })),
  )
}

/** The ids of the workspaces with these names; those that do not exist are made, and noted with `details` in the audit log. */
async function ensureWorkspaces(ctx: Context, tx: Tx, names: readonly string[], details: AuditDetails): Promise<Id[]> {
  const known = new Set((await listWorkspacesByNames(tx, names)).map(({ name }) => name))
  const now = ctx.now()
  const missing = names
    .filter(name => !known.has(name))
    .map(name => ({ id: ctx.newId(), name, inserted_at: now, updated_at: now }))
  await store.insertMissingWorkspaces(tx, missing)
  const ids = (await listWorkspacesByNames(tx, names)).map(({ id }) => id)
  // Another process may have made one of that name at the same time.
  const made = missing.filter(({ id }) => ids.includes(id))
  const toEntry = (workspace: Workspace) => {
    return { action: 'workspace.created', target: workspace, workspaceId: workspace.id, details } as const
  }
  await auditAll(tx, ctx, made.map(toEntry))
  return ids
}

/** At start: the workspaces that new users join exist from the beginning. */
export async function createAllowedWorkspaces(ctx: Context): Promise<void> {
  const { allowedWorkspaces } = ctx.config.oauth
  if (allowedWorkspaces.length > 0) await write(ctx, tx => ensureWorkspaces(ctx, tx, allowedWorkspaces, { command: 'start' }))
}
