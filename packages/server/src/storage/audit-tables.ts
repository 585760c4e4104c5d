/** The tables of the audit log. */
import type { Generated } from 'kysely'

/** It refers to no other table: entries outlive what they are about. Rows cannot be updated, and only old ones can be deleted. */
export interface AuditEntriesTable {
  no: Generated<number>
  id: string
  action: string
  actor_id: string | null
  /** Names as they were at that time. */
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

/** One row at most: entries from before this time are past the retention period and can be deleted. */
export interface AuditPruningTable {
  pruned_before: string
}

export interface AuditTables {
  audit_entries: AuditEntriesTable
  audit_pruning: AuditPruningTable
}
