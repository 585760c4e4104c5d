import { allow, notFound } from '@postil/domain/errors'
import type { Job, JobStatus } from '@postil/domain/jobs'
import { canReadJob } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { findJobStatus } from '../../jobs/queue.ts'
import { findJobWorkspace } from './store.ts'

/** How far a job is. Its id is free text: clients may ask for anything. */
export async function getJob(ctx: RequestContext, jobId: string): Promise<Job> {
  const status = await findJobStatus(ctx.db, jobId)
  if (status === null) throw notFound('Job', jobId)
  allow(canReadJob(ctx.actor, await findJobWorkspace(ctx.db, jobId)))
  // The queue writes words of JobStatus only.
  return { id: jobId, status: status as JobStatus }
}
