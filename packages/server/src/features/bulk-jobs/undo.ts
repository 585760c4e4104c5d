/**
 * Restores the responses that a bulk job replaced, if they have not changed since. Every write gives a response a unique time,
 * which identifies the version the job wrote. If the job left no response, there must be no later version either.
 */
import { CHANGED_SINCE } from '@postil/domain/bulk-jobs'
import { conflict } from '@postil/domain/errors'
import type { ResponseStatus } from '@postil/domain/responses'
import type { Id } from '@postil/domain/schema'
import { listVersionsOfJob } from '../responses/history-store.ts'
import type { Piece, ToChange } from './run.ts'

export async function createRestoreChange({ tx, job, records, responses }: Piece, undoneJobId: Id): Promise<ToChange> {
  const versions = await listVersionsOfJob(
    tx,
    undoneJobId,
    records.map(record => record.no),
  )
  const byRecord = new Map(versions.filter(row => row.user_id === job.user_id).map(row => [row.record_no, row]))
  return record => {
    const version = byRecord.get(record.no)
    const before = responses.get(record.no) ?? null
    const isUntouched = before === null ? version?.is_last === 1 : version?.replaced_at === before.updated_at
    if (!version || !isUntouched) throw conflict(CHANGED_SINCE)
    if (version.status === null) return { record, before, after: null }
    return {
      record,
      before,
      after: { status: version.status as ResponseStatus, values: JSON.parse(version.values ?? '{}') },
      restored: { id: version.response_id, inserted_at: version.inserted_at ?? record.inserted_at },
    }
  }
}
