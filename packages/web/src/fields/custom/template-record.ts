/** The record that templates receive: the API's record with the user's own responses only. */
import type { DatasetRecord } from '@postil/domain/records'

/** A record from a search, with its score. */
export type FoundRecord = DatasetRecord & { query_score?: number | null }

export function toTemplateRecord(record: FoundRecord, userId: string | null) {
  const { id, external_id, status, dataset_id, fields, metadata, suggestions, responses, inserted_at, updated_at } = record
  const mine = (responses ?? []).filter(response => response.user_id === userId)
  return {
    id,
    external_id,
    status,
    dataset_id,
    fields,
    metadata,
    suggestions: suggestions ?? [],
    responses: mine,
    inserted_at,
    updated_at,
    query_score: record.query_score ?? null,
  }
}
