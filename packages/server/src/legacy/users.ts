/** Users in the format of 1.x clients. The use cases are those of users and workspaces. */
import { DomainError } from '@postil/domain/errors'
import type { LegacyUser } from '@postil/domain/legacy/api-users'
import { badRequest, entityExists, entityNotFound } from '@postil/domain/legacy/errors'
import type { Id } from '@postil/domain/schema'
import type { User, UserCreate } from '@postil/domain/users'
import type { Workspace, WorkspaceCreate } from '@postil/domain/workspaces'
import type { RequestContext } from '../context.ts'
import { createUser, insertHashedUser } from '../features/users/create.ts'
import { deleteUser } from '../features/users/delete.ts'
import { getMe, listUsers } from '../features/users/read.ts'
import type { HashedUserCreate } from '../features/users/writes.ts'
import { createWorkspace } from '../features/workspaces/create.ts'
import { addWorkspaceUser, removeWorkspaceUser } from '../features/workspaces/members.ts'
import { listMyWorkspaces, listWorkspaceUsers } from '../features/workspaces/read.ts'
import { OnWriter } from '../lib/answer.ts'
import { listMembershipsOf } from './store-users.ts'
import { legacyInsertUser } from './writes.ts'

/** For an owner, returns all workspaces; no other route does. */
export async function getLegacyMe(ctx: RequestContext): Promise<LegacyUser> {
  const [me, { items }] = [await getMe(ctx), await listMyWorkspaces(ctx)]
  return toLegacyUser(
    me,
    items.map(({ name }) => name),
  )
}

export async function listLegacyUsers(ctx: RequestContext): Promise<LegacyUser[]> {
  const { items } = await listUsers(ctx)
  return withWorkspaces(ctx, items)
}

export async function createLegacyUser(ctx: RequestContext, input: UserCreate): Promise<OnWriter> {
  const { body } = await createUser(ctx, input)
  return new OnWriter(legacyInsertUser, body as HashedUserCreate)
}

export async function insertLegacyUser(ctx: RequestContext, input: HashedUserCreate): Promise<LegacyUser> {
  const user = await asLegacy({ not_unique: () => entityExists('User', input.username), conflict: refusedName }, () =>
    insertHashedUser(ctx, input),
  )
  return withOwnWorkspaces(ctx, user)
}

export async function deleteLegacyUser(ctx: RequestContext, userId: Id): Promise<LegacyUser> {
  const workspaces = (await listMembershipsOf(ctx.db, [userId])).map(({ name }) => name)
  const user = await asLegacy({ not_found: () => entityNotFound('User', userId) }, () => deleteUser(ctx, userId))
  return toLegacyUser(user, workspaces)
}

export const listLegacyWorkspaces = async (ctx: RequestContext): Promise<Workspace[]> => (await listMyWorkspaces(ctx)).items

export const createLegacyWorkspace = (ctx: RequestContext, input: WorkspaceCreate): Promise<Workspace> =>
  asLegacy({ not_unique: () => entityExists('Workspace', input.name), conflict: refusedName }, () => createWorkspace(ctx, input))

export async function listLegacyWorkspaceUsers(ctx: RequestContext, workspaceId: Id): Promise<LegacyUser[]> {
  const not_found = () => entityNotFound('Workspace', workspaceId)
  const { items } = await asLegacy({ not_found }, () => listWorkspaceUsers(ctx, workspaceId))
  return withWorkspaces(ctx, items)
}

interface Member {
  workspace_id: Id
  user_id: Id
}

export async function addLegacyWorkspaceUser(ctx: RequestContext, { workspace_id, user_id }: Member): Promise<LegacyUser> {
  const failures = {
    not_found: () => entityNotFound('Workspace', workspace_id),
    unprocessable: () => entityNotFound('User', user_id),
    not_unique: () => entityExists('User', user_id),
  }
  return withOwnWorkspaces(ctx, await asLegacy(failures, () => addWorkspaceUser(ctx, workspace_id, user_id)))
}

export async function removeLegacyWorkspaceUser(ctx: RequestContext, { workspace_id, user_id }: Member): Promise<LegacyUser> {
  const failures = { not_found: () => entityNotFound('User', user_id) }
  return withOwnWorkspaces(ctx, await asLegacy(failures, () => removeWorkspaceUser(ctx, workspace_id, user_id)))
}

/** The name looks like an existing one. */
const refusedName = ({ message }: DomainError) => badRequest(message)

/** Runs a use case of the API; converts failures with these codes into those that 1.x clients expect. */
async function asLegacy<T>(
  failures: Partial<Record<string, (error: DomainError) => Error>>,
  useCase: () => Promise<T>,
): Promise<T> {
  try {
    return await useCase()
  } catch (error) {
    throw (error instanceof DomainError && failures[error.code]?.(error)) || error
  }
}

async function withWorkspaces(ctx: RequestContext, users: readonly User[]): Promise<LegacyUser[]> {
  const memberships = await listMembershipsOf(
    ctx.db,
    users.map(({ id }) => id),
  )
  const byUser = Map.groupBy(memberships, ({ user_id }) => user_id)
  return users.map(user =>
    toLegacyUser(
      user,
      (byUser.get(user.id) ?? []).map(({ name }) => name),
    ),
  )
}

async function withOwnWorkspaces(ctx: RequestContext, user: User): Promise<LegacyUser> {
  const memberships = await listMembershipsOf(ctx.db, [user.id])
  return toLegacyUser(
    user,
    memberships.map(({ name }) => name),
  )
}

function toLegacyUser({ last_name, api_key, ...user }: User, workspaces: string[]): LegacyUser {
  const { id, first_name, username, role, inserted_at, updated_at } = user
  return {
    id,
    first_name,
    ...(last_name === null ? {} : { last_name }),
    full_name: last_name === null ? first_name : `${first_name} ${last_name}`,
    username,
    role,
    workspaces,
    api_key: api_key ?? '',
    inserted_at,
    updated_at,
  }
}
