import type { JobsQuery } from '@postil/domain/api/jobs'
import { allow } from '@postil/domain/errors'
import type { JobPage } from '@postil/domain/jobs'
import { canManageJobs } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { listJobRows, toJobDetails } from './store.ts'

/** Lists jobs of all kinds and datasets, newest first. */
export async function listJobs(ctx: RequestContext, { limit = 50, ...filter }: JobsQuery): Promise<JobPage> {
  allow(canManageJobs(ctx.actor))
  // Reads one row more than the limit to find out whether there is a next page.
  const rows = await listJobRows(ctx.db, { ...filter, limit: limit + 1 })
  const items = rows.slice(0, limit).map(toJobDetails)
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
