/** All SQL of invitations. */
import { notFound } from '@postil/domain/errors'
import type { Invitation, InvitationStatus, InvitationsQuery } from '@postil/domain/invitations'
import type { Id } from '@postil/domain/schema'
import type { Role } from '@postil/domain/users'
import type { Workspace } from '@postil/domain/workspaces'
import type { Selectable } from 'kysely'
import { marks, type Queryable } from '../../storage/database.ts'
import type { InvitationsTable } from '../../storage/identity-tables.ts'

export interface InvitationRow extends Selectable<InvitationsTable> {
  /** Status at the time of the query. */
  status: InvitationStatus
  inviter: string
  accepter: string | null
}

/** Batch size for deleting expired invitations, so that creating a new one stays fast. */
const EXPIRED_PER_BATCH = 1_000

/** Invitations by users who were deactivated or are no longer owners count as revoked. */
const SELECT = `select i.*, u.username as inviter, a.username as accepter, case
    when i.accepted_at is not null then 'accepted'
    when i.revoked_at is not null or u.role <> 'owner' or u.deactivated_at is not null then 'revoked'
    when i.expires_at <= ? then 'expired'
    else 'open' end as status
  from invitations i join users u on u.id = i.invited_by left join users a on a.id = i.accepted_by`

/** Lists invitations, newest first (ids grow with time). */
export function listInvitationRows(
  db: Queryable,
  now: string,
  { status, before, limit }: InvitationsQuery & { limit: number },
): Promise<InvitationRow[]> {
  const conditions = [
    ...(status === undefined ? [] : [{ text: 'status = ?', value: status }]),
    ...(before === undefined ? [] : [{ text: 'id < ?', value: before }]),
  ]
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(({ text }) => text).join(' and ')}`
  const text = `select * from (${SELECT}) listed${where} order by id desc limit ?`
  return db.sql.all(text, [now, ...conditions.map(({ value }) => value), limit])
}

export async function findInvitationByToken(db: Queryable, tokenHash: string, now: string): Promise<InvitationRow | null> {
  return (await db.sql.get<InvitationRow>(`${SELECT} where i.token_hash = ?`, [now, tokenHash])) ?? null
}

/** Locks the row, so that only one of several concurrent requests can accept or revoke the invitation. */
export async function loadInvitationToChange(db: Queryable, id: Id, now: string): Promise<InvitationRow> {
  if (db.dialect.forUpdate !== '') await db.sql.get(`select 1 from invitations where id = ?${db.dialect.forUpdate}`, [id])
  const row = await db.sql.get<InvitationRow>(`${SELECT} where i.id = ?`, [now, id])
  if (!row) throw notFound('Invitation', id)
  return row
}

export async function insertInvitation(
  db: Queryable,
  row: Selectable<InvitationsTable>,
  workspaceIds: readonly Id[],
): Promise<void> {
  await db.kysely.insertInto('invitations').values(row).execute()
  if (workspaceIds.length === 0) return
  const rows = workspaceIds.map(workspace_id => ({ invitation_id: row.id, workspace_id }))
  await db.kysely.insertInto('invitation_workspaces').values(rows).execute()
}

export async function updateAccepted(db: Queryable, { id, userId, now }: { id: Id; userId: Id; now: string }): Promise<void> {
  await db.sql.run('update invitations set accepted_at = ?, accepted_by = ? where id = ?', [now, userId, id])
}

export async function updateRevoked(db: Queryable, id: Id, now: string): Promise<void> {
  await db.sql.run('update invitations set revoked_at = ? where id = ?', [now, id])
}

export async function deleteExpiredInvitations(db: Queryable, before: string): Promise<void> {
  const text =
    'delete from invitations where id in (select id from invitations where expires_at <= ? order by expires_at limit ?)'
  await db.sql.run(text, [before, EXPIRED_PER_BATCH])
}

/** Returns those of the workspaces that exist. They cannot be deleted until the transaction ends. */
export function lockWorkspaces(db: Queryable, ids: readonly Id[]): Promise<Workspace[]> {
  if (ids.length === 0) return Promise.resolve([])
  const text = `select id, name, inserted_at, updated_at from workspaces where id in (${marks(ids)}) order by id${db.dialect.forShare}`
  return db.sql.all(text, ids)
}

export interface OfferedWorkspace {
  invitation_id: Id
  id: Id
  name: string
}

/** Lists the workspaces of these invitations (at most a few hundred) by name. */
export function listOfferedWorkspaces(db: Queryable, invitationIds: readonly Id[]): Promise<OfferedWorkspace[]> {
  if (invitationIds.length === 0) return Promise.resolve([])
  const text = `select iw.invitation_id, w.id, w.name from invitation_workspaces iw join workspaces w on w.id = iw.workspace_id
    where iw.invitation_id in (${marks(invitationIds)}) order by w.name, w.id`
  return db.sql.all(text, invitationIds)
}

/** Converts to the API representation. */
export async function toInvitations(db: Queryable, rows: readonly InvitationRow[]): Promise<Invitation[]> {
  const ids = rows.map(({ id }) => id)
  const offered = Map.groupBy(await listOfferedWorkspaces(db, ids), ({ invitation_id }) => invitation_id)
  return rows.map(row => toInvitation(row, offered.get(row.id) ?? []))
}

export function toInvitation(row: InvitationRow, workspaces: readonly { id: Id; name: string }[]): Invitation {
  const { id, username, role, status, invited_by, inviter, accepted_by, accepter, inserted_at, expires_at } = row
  return {
    id,
    username,
    role: role as Role,
    workspaces: workspaces.map(({ id, name }) => ({ id, name })),
    status,
    invited_by: { id: invited_by, username: inviter },
    accepted_by: accepted_by === null ? null : { id: accepted_by, username: accepter ?? '' },
    inserted_at,
    expires_at,
  }
}
