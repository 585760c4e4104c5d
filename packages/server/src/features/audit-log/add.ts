import { type AuditAction, type AuditDetails, type AuditEntry, targetTypeOf } from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../storage/database.ts'
import { write } from '../../storage/write.ts'
import { insertAuditEntries } from './store.ts'

interface Person {
  id: Id
  username: string
}

/** The acting user and their address. Both are absent for the server itself and its command line. */
type AuditContext = Pick<Context, 'now' | 'newId'> & { actor?: Person | null; sender?: { address: string } }

export interface NewAuditEntry {
  action: AuditAction
  target?: { id: Id; name: string | null } | null
  workspaceId?: Id | null
  details?: AuditDetails
}

/** Adds an entry to the audit log in the transaction of the change, so that either both are stored or neither. */
export async function audit(tx: Queryable, ctx: AuditContext, entry: NewAuditEntry): Promise<void> {
  await auditAll(tx, ctx, [entry])
}

export async function auditAll(tx: Queryable, ctx: AuditContext, entries: readonly NewAuditEntry[]): Promise<void> {
  await insertAuditEntries(
    tx,
    entries.map(entry => toEntry(ctx, entry)),
  )
}

/** Stores entries that were collected outside of a transaction (`sign-in-log.ts`). */
export const addCollectedEntries = (ctx: Context, entries: readonly AuditEntry[]): Promise<void> =>
  write(ctx, tx => insertAuditEntries(tx, entries))

/** Logs an action without a user, performed at server start or on the command line. */
export const auditCommand = (
  ctx: Context,
  action: 'server.migrated' | 'server.reindexed',
  details: AuditDetails,
): Promise<void> => write(ctx, tx => audit(tx, ctx, { action, details }))

function toEntry(ctx: AuditContext, { action, target = null, workspaceId = null, details = {} }: NewAuditEntry): AuditEntry {
  return {
    id: ctx.newId(),
    action,
    actor: ctx.actor ? { id: ctx.actor.id, username: ctx.actor.username } : null,
    target: target && { type: targetTypeOf(action), id: target.id, name: target.name },
    workspace_id: workspaceId,
    address: ctx.sender?.address ?? null,
    details,
    inserted_at: ctx.now(),
  }
}

/** The target of an entry about a user. */
export const asTarget = ({ id, username }: Person) => ({ id, name: username })

/** Returns the names of the properties that differ, except the timestamps that change with every write. */
export function listChangedProperties<T extends object>(before: T, after: T): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof T & string)[]
  return keys.filter(key => !TIMES.has(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key])).toSorted()
}

const TIMES = new Set(['updated_at', 'last_activity_at'])
