import type { Id } from '@postil/domain/schema'
import { setJobPayload } from '../../jobs/queue.ts'
import type { Queryable } from '../../storage/database.ts'
import type { ExportPayload } from './jobs.ts'

/** Deletes the token of an export when it ends. */
export async function dropToken(db: Queryable, jobId: Id): Promise<void> {
  const row = await db.sql.get<{ payload: string }>('select payload from jobs where id = ?', [jobId])
  if (row) await setJobPayload(db, jobId, { ...(JSON.parse(row.payload) as ExportPayload), token: null })
}
