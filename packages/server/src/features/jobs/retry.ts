import { allow, conflict, invalid } from '@postil/domain/errors'
import type { JobDetails } from '@postil/domain/jobs'
import { canManageJobs } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { notice } from '../../events/emit.ts'
import { isJobName, OWNER_RULES } from '../../jobs/all.ts'
import { toJobNotice } from '../../jobs/notice.ts'
import { requeueJob } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadJobToChange, toJobDetails } from './store.ts'

/** Retries a failed job from the batch that failed, with a full set of attempts. */
export function retryJob(ctx: RequestContext, jobId: string): Promise<JobDetails> {
  allow(canManageJobs(ctx.actor))
  return write(ctx, async tx => {
    const job = await loadJobToChange(tx, jobId)
    if (!isJobName(job.name)) throw invalid(`This release does not know jobs called \`${job.name}\``)
    if (job.status !== 'failed') throw conflict(`The job is ${job.status}; only a failed job can be run again`)
    const { noRetry } = OWNER_RULES[job.name]
    if (noRetry !== null) throw invalid(noRetry)
    await requeueJob(tx, job.id, ctx.now())
    const told = toJobNotice({ id: job.id, payload: JSON.parse(job.payload) }, 'queued')
    if (told) notice(tx, told)
    await audit(tx, ctx, { action: 'job.retried', target: { id: job.id, name: job.name } })
    return toJobDetails(await loadJobToChange(tx, jobId))
  })
}
