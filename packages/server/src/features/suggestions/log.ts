import type { Id } from '@postil/domain/schema'
import { logChange } from '../../events/emit.ts'
import type { Tx } from '../../storage/write.ts'
import type { SuggestionRow } from './store.ts'

/** Logs changed or deleted suggestions. No-op for an empty list. */
export function logSuggestions(
  tx: Tx,
  name: 'suggestion.updated' | 'suggestion.deleted',
  dataset_id: Id,
  rows: readonly SuggestionRow[],
): void {
  if (rows.length === 0) return
  const details = { suggestion_ids: rows.map(row => row.id) }
  logChange(tx, { name, dataset_id, recordNos: rows.map(row => row.record_no), details })
}
