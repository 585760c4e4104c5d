import { allow, conflict, invalid } from '@postil/domain/errors'
import type { JobDetails } from '@postil/domain/jobs'
import { canManageJobs } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { notice } from '../../events/emit.ts'
import { isJobName, OWNER_RULES } from '../../jobs/all.ts'
import { toJobNotice } from '../../jobs/notice.ts'
import { cancelJob as endJob } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { lockBulkJob } from '../bulk-jobs/store.ts'
import { loadJobToChange, toJobDetails } from './store.ts'

/** Cancels a job of any user after the batch that is running. Has no effect if the job is canceled already. */
export function cancelJob(ctx: RequestContext, jobId: string): Promise<JobDetails> {
  allow(canManageJobs(ctx.actor))
  return write(ctx, async tx => {
    // Locked before the job, in the same order as running or canceling a bulk job does, to avoid deadlocks.
    await lockBulkJob(tx, jobId)
    const job = await loadJobToChange(tx, jobId)
    if (job.status === 'canceled') return toJobDetails(job)
    if (!['queued', 'started'].includes(job.status)) throw conflict(`The job is ${job.status}: there is nothing to cancel`)
    if (!isJobName(job.name)) throw invalid(`This release does not know jobs called \`${job.name}\``)
    const { cancel } = OWNER_RULES[job.name]
    if (typeof cancel === 'string') throw invalid(cancel)
    const now = ctx.now()
    await cancel(tx, job.id, now)
    await endJob(tx, job.id, now)
    const told = toJobNotice({ id: job.id, payload: JSON.parse(job.payload) }, 'canceled')
    if (told) notice(tx, told)
    await audit(tx, ctx, { action: 'job.canceled', target: { id: job.id, name: job.name } })
    return toJobDetails(await loadJobToChange(tx, jobId))
  })
}
