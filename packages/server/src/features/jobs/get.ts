import { allow, notFound } from '@postil/domain/errors'
import type { Job } from '@postil/domain/jobs'
import { canReadJob } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { isHubJob } from '../../jobs/queue.ts'
import { findJobRow, findJobWorkspace, toJobDetails } from './store.ts'

/** Returns the status and progress of a job. The id is free text, because clients may send anything. */
export async function getJob(ctx: RequestContext, jobId: string): Promise<Job> {
  const row = await findJobRow(ctx.db, jobId)
  if (!row) throw notFound('Job', jobId)
  allow(canReadJob(ctx.actor, await findJobWorkspace(ctx.db, jobId)))
  const { name, status, progress, error, skipped } = toJobDetails(row)
  if (name === 'migrate-label') return { id: jobId, status, progress, error }
  if (!isHubJob(name)) return { id: jobId, status }
  if (name === 'file-export' || name === 'file-import') return { id: jobId, status, progress, error }
  const repository = (JSON.parse(row.payload) as { name: string }).name
  return {
    id: jobId,
    status,
    progress,
    error,
    ...(name === 'hub-import' && { skipped }),
    url: `${ctx.config.hubUrl}/datasets/${repository}`,
  }
}
