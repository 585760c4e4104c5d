/** All SQL of workspaces and memberships. */
import { notFound, notUnique } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { Workspace } from '@postil/domain/workspaces'
import { hashSkeleton } from '../../lib/skeleton-hash.ts'
import { marks, type Queryable } from '../../storage/database.ts'

export interface Membership {
  workspace_id: Id
  user_id: Id
  inserted_at: string
}

const SELECT = 'select w.id, w.name, w.inserted_at, w.updated_at from workspaces w'

/** Lists all workspaces, or those of one member, oldest first. */
export function listWorkspaces(db: Queryable, { memberId }: { memberId: Id | null }): Promise<Workspace[]> {
  const order = 'order by w.inserted_at, w.id'
  if (memberId === null) return db.sql.all(`${SELECT} ${order}`)
  return db.sql.all(`${SELECT} join workspaces_users m on m.workspace_id = w.id where m.user_id = ? ${order}`, [memberId])
}

/** Lists the existing workspaces with these names, oldest first. */
export async function listWorkspacesByNames(db: Queryable, names: readonly string[]): Promise<Workspace[]> {
  const found: Workspace[] = []
  for (let start = 0; start < names.length; start += NAMES_PER_QUERY) {
    const some = names.slice(start, start + NAMES_PER_QUERY)
    found.push(...(await db.sql.all<Workspace>(`${SELECT} where w.name in (${marks(some)}) order by w.inserted_at, w.id`, some)))
  }
  return found
}

/** Lists the existing workspaces with these ids (at most a few thousand). */
export function listWorkspacesByIds(db: Queryable, ids: readonly Id[]): Promise<Workspace[]> {
  return db.sql.all(`${SELECT} where w.id in (${marks(ids)}) order by w.inserted_at, w.id`, ids)
}

/** Keeps statements below the database's limit of parameters, because the list may have any length. */
const NAMES_PER_QUERY = 1_000

export async function loadWorkspace(db: Queryable, id: Id): Promise<Workspace> {
  const row = await db.sql.get<Workspace>(`${SELECT} where w.id = ?`, [id])
  if (!row) throw notFound('Workspace', id)
  return row
}

/** Locks the workspace until the transaction ends, so that no dataset or member can be added. */
export async function lockWorkspace(db: Queryable, id: Id): Promise<Workspace> {
  const row = await db.sql.get<Workspace>(`${SELECT} where w.id = ?${db.dialect.forUpdate}`, [id])
  if (!row) throw notFound('Workspace', id)
  return row
}

export async function insertWorkspace(db: Queryable, workspace: Workspace): Promise<void> {
  try {
    const row = { ...workspace, name_skeleton: hashSkeleton(workspace.name) }
    await db.kysely.insertInto('workspaces').values(row).execute()
  } catch (error) {
    if (!db.dialect.isUniqueViolation(error)) throw error
    throw notUnique(`A workspace with name \`${workspace.name}\` or id \`${workspace.id}\` already exists`)
  }
}

export async function hasDatasets(db: Queryable, workspaceId: Id): Promise<boolean> {
  const text = `select id from datasets where workspace_id = ?
    union all select id from legacy_datasets where workspace_id = ? limit 1`
  return (await db.sql.get(text, [workspaceId, workspaceId])) !== undefined
}

/** Deletes a workspace without datasets; its memberships are deleted by cascade. */
export async function deleteWorkspaceRow(db: Queryable, id: Id): Promise<void> {
  await db.sql.run('delete from workspaces where id = ?', [id])
}

export async function hasMember(db: Queryable, workspaceId: Id, userId: Id): Promise<boolean> {
  const text = 'select user_id from workspaces_users where workspace_id = ? and user_id = ?'
  return (await db.sql.get(text, [workspaceId, userId])) !== undefined
}

export async function insertMemberships(db: Queryable, memberships: readonly Membership[]): Promise<void> {
  if (memberships.length === 0) return
  try {
    await db.kysely
      .insertInto('workspaces_users')
      .values([...memberships])
      .execute()
  } catch (error) {
    if (!db.dialect.isUniqueViolation(error)) throw error
    throw notUnique('The user is a member of the workspace already')
  }
}

export async function deleteMembership(db: Queryable, workspaceId: Id, userId: Id): Promise<void> {
  await db.sql.run('delete from workspaces_users where workspace_id = ? and user_id = ?', [workspaceId, userId])
}
