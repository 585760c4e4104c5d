/** All SQL of the audit log. */
import {
  type AuditAction,
  type AuditCursor,
  type AuditEntry,
  type AuditTargetType,
  cutName,
  toDetailsJson,
} from '@postil/domain/audit-log'
import type { Id } from '@postil/domain/schema'
import type { Selectable } from 'kysely'
import type { AuditEntriesTable } from '../../storage/audit-tables.ts'
import { type Dialect, marks, type Param, type Queryable } from '../../storage/database.ts'

export type AuditRow = Selectable<AuditEntriesTable>

const COLUMNS = [
  'id',
  'action',
  'actor_id',
  'actor_name',
  'target_type',
  'target_id',
  'target_name',
  'workspace_id',
  'address',
  'details',
  'inserted_at',
] as const
const SELECT = `select no, ${COLUMNS.join(', ')} from audit_entries`
const ORDER = 'order by inserted_at desc, no desc'

export async function insertAuditEntries(db: Queryable, entries: readonly AuditEntry[]): Promise<void> {
  await db.sql.insertAll('audit_entries', COLUMNS, entries.map(toParams))
}

/** PostgreSQL text cannot contain NUL characters, so they are replaced instead of failing the write. */
const toText = (name: string) => cutName(name.replaceAll('\0', '\ufffd'))

function toParams({ id, action, actor, target, workspace_id, address, details, inserted_at }: AuditEntry): Param[] {
  const by = actor ? [actor.id, toText(actor.username)] : [null, null]
  const on = target ? [target.type, target.id, target.name === null ? null : toText(target.name)] : [null, null, null]
  return [id, action, ...by, ...on, workspace_id, address, toDetailsJson(details), inserted_at]
}

export interface AuditFilter {
  /** Null for all actions. */
  actions: readonly AuditAction[] | null
  actorId?: Id | undefined
  targetType?: AuditTargetType | undefined
  targetId?: Id | undefined
  /** Both bounds are inclusive. */
  since?: string | undefined
  until?: string | undefined
  /** Cursor: only entries after this one in the list, that is, older ones. */
  before?: AuditCursor | undefined
}

/** Lists entries, newest first. */
export function listAuditRows(db: Queryable, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { text, params } = toAuditQuery(db.dialect, filter, limit)
  return db.sql.all(text, params)
}

/**
 * Reads several actions one by one, each from the end of its index range, and merges them: a single statement with a list of
 * actions would sort all of their entries. A target has few entries, so they are filtered while reading.
 */
export function toAuditQuery(dialect: Pick<Dialect, 'name'>, filter: AuditFilter, limit: number): Query {
  const { actions, actorId, targetId } = filter
  const select = (index: string, conditions: readonly Condition[]) => toSelect({ dialect, index, conditions, limit })
  if (targetId !== undefined) {
    const of = actions === null ? [] : [{ sql: `action in (${marks(actions)})`, params: actions }]
    return select('audit_entries_target', [...of, ...toConditions(filter)])
  }
  if (actions === null) return select(actorId === undefined ? 'audit_entries_time' : 'audit_entries_actor', toConditions(filter))

  const index = actorId === undefined ? 'audit_entries_action' : 'audit_entries_actor_action'
  const parts = actions.map(action => select(index, [{ sql: 'action = ?', params: [action] }, ...toConditions(filter)]))
  const [first] = parts
  if (parts.length === 1 && first) return first
  const union = parts.map(({ text }) => `select * from (${text}) part`).join(' union all ')
  return { text: `select * from (${union}) found ${ORDER} limit ?`, params: [...parts.flatMap(({ params }) => params), limit] }
}

interface Query {
  text: string
  params: Param[]
}

interface Condition {
  sql: string
  params: readonly Param[]
}

function toConditions({ actorId, targetType, targetId, since, until, before }: AuditFilter): Condition[] {
  const given = (sql: string, ...params: (Param | undefined)[]): Condition[] =>
    params.includes(undefined) ? [] : [{ sql, params: params as Param[] }]
  return [
    ...given('actor_id = ?', actorId),
    ...given('target_id = ?', targetId),
    ...given('target_type = ?', targetType),
    ...given('inserted_at >= ?', since),
    ...given('inserted_at <= ?', until),
    ...given('(inserted_at, no) < (?, ?)', before?.inserted_at, before?.no),
  ]
}

interface Select {
  dialect: Pick<Dialect, 'name'>
  index: string
  conditions: readonly Condition[]
  limit: number
}

/** SQLite has no statistics for this table and would choose an index by declaration order, so the query names the index. */
function toSelect({ dialect, index, conditions, limit }: Select): Query {
  const along = dialect.name === 'sqlite' ? ` indexed by ${index}` : ''
  const where = conditions.length === 0 ? '' : ` where ${conditions.map(({ sql }) => sql).join(' and ')}`
  return { text: `${SELECT}${along}${where} ${ORDER} limit ?`, params: [...conditions.flatMap(({ params }) => params), limit] }
}

/** True if an entry is older than `time`. Costs one index lookup. */
export async function hasAuditEntryBefore(db: Queryable, time: string): Promise<boolean> {
  return (await db.sql.get('select 1 from audit_entries where inserted_at < ? limit 1', [time])) !== undefined
}

/** Deletes the oldest entries before `time`, at most `limit`. Returns how many were deleted. */
export async function deleteAuditEntriesBefore(db: Queryable, time: string, limit: number): Promise<number> {
  // The triggers only allow deleting entries older than this.
  const moved = await db.sql.run('update audit_pruning set pruned_before = ? where pruned_before < ?', [time, time])
  if (moved.changes === 0) {
    await db.sql.run('insert into audit_pruning (pruned_before) select ? where not exists (select 1 from audit_pruning)', [time])
  }
  const text = `delete from audit_entries where no in
    (select no from audit_entries where inserted_at < ? order by inserted_at, no limit ?)`
  return (await db.sql.run(text, [time, limit])).changes
}
