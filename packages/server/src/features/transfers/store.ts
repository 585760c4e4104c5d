import type { Queryable } from '../../storage/database.ts'

export interface TransferRow {
  id: string
  name: string
  status: 'queued' | 'started'
  payload: string
  error: string | null
  inserted_at: string
}

/** Direction of each kind of job. */
export const TRANSFER_JOBS: Readonly<Record<string, 'import' | 'export'>> = {
  'hub-import': 'import',
  'hub-export': 'export',
  'file-import': 'import',
  'file-export': 'export',
}

/** Limit of rows. Finished jobs are pruned, so there are few queued and running ones. */
const ROWS_MAX = 1_000

/** Lists jobs, newest first (ids grow with time). */
export function listTransferRows(db: Queryable): Promise<TransferRow[]> {
  const names = Object.keys(TRANSFER_JOBS)
  const text = `select j.id, j.name, j.status, j.payload, j.error, j.inserted_at from jobs j
    where j.status in ('queued', 'started') and j.name in (${names.map(() => '?').join(', ')}) order by j.id desc limit ?`
  return db.sql.all(text, [...names, ROWS_MAX])
}
