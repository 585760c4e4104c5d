import {
  AUDIT_ACTION_NAMES,
  type AuditAction,
  type AuditEntry,
  type AuditLogQuery,
  type AuditPage,
  type AuditTargetType,
  parseAuditCursor,
  targetTypeOf,
  toCursorText,
} from '@postil/domain/audit-log'
import { allow, checkAt } from '@postil/domain/errors'
import { canReadAuditLog } from '@postil/domain/permissions'
import { toDateRange } from '@postil/domain/search/dates'
import type { RequestContext } from '../../context.ts'
import { type AuditFilter, type AuditRow, listAuditRows } from './store.ts'

export async function listAuditLog(ctx: RequestContext, query: AuditLogQuery): Promise<AuditPage> {
  allow(canReadAuditLog(ctx.actor))
  const filter = toFilter(query, ctx.now())
  const limit = query.limit ?? 50
  if (filter.actions?.length === 0) return { items: [], next: null }
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listAuditRows(ctx.db, filter, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(toAuditEntry), next: last && rows.length > limit ? toCursorText(last) : null }
}

function toFilter(query: AuditLogQuery, now: string): AuditFilter {
  const { since, until, before } = query
  return {
    actions: toActions(query),
    actorId: query.actor_id,
    targetType: query.target_type,
    targetId: query.target_id,
    since: since === undefined ? undefined : checkAt(['since'], () => toDateRange(since, now)).from,
    until: until === undefined ? undefined : checkAt(['until'], () => toDateRange(until, now)).to,
    before: before === undefined ? undefined : parseAuditCursor(before),
  }
}

/** Translates a target type into its actions, because actions have an index. */
function toActions({ action, target_type }: AuditLogQuery): AuditAction[] | null {
  const actions = action === undefined ? null : [...new Set(action)]
  if (target_type === undefined) return actions
  return (actions ?? AUDIT_ACTION_NAMES).filter(name => targetTypeOf(name) === target_type)
}

function toAuditEntry(row: AuditRow): AuditEntry {
  const { id, action, actor_id, actor_name, target_type, target_id, target_name } = row
  return {
    id,
    action: action as AuditAction,
    actor: actor_id === null ? null : { id: actor_id, username: actor_name ?? '' },
    target: target_id === null ? null : { type: target_type as AuditTargetType, id: target_id, name: target_name },
    workspace_id: row.workspace_id,
    address: row.address,
    details: JSON.parse(row.details),
    inserted_at: row.inserted_at,
  }
}
