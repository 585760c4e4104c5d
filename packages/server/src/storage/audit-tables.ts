/** Tables of the audit log. */
import type { Generated } from 'kysely'

/**
 * Has no foreign keys, because entries outlive the rows they are about. Rows cannot be updated, and only expired ones can be
 * deleted.
 */
export interface AuditEntriesTable {
  no: Generated<number>
  id: string
  action: string
  actor_id: string | null
  /** Name at the time of the entry. */
  actor_name: string | null
  target_type: string | null
  target_id: string | null
  target_name: string | null
  workspace_id: string | null
  address: string | null
  /** JSON. */
  details: string
  inserted_at: string
}

/** At most one row: entries from before this time are past the retention period and can be deleted. */
export interface AuditPruningTable {
  pruned_before: string
}

export interface AuditTables {
  audit_entries: AuditEntriesTable
  audit_pruning: AuditPruningTable
}
