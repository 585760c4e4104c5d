import { allow, wrongUser } from '@postil/domain/errors'
import type { DatasetLive } from '@postil/domain/live'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { OpenContext, RequestContext } from '../../context.ts'
import type { LiveOfUsers } from './live-read.ts'
import { loadMetricsOfUsers, loadMyMetrics } from './my-metrics.ts'
import { toProgress } from './progress.ts'
import { listContributors } from './progress-store.ts'
import { loadDataset } from './store.ts'

/** Returns the overall progress and the caller's metrics, which event streams send first. `userId` must be the caller if given. */
export function watchDataset(ctx: RequestContext, id: Id, userId?: Id): Promise<DatasetLive> {
  if (userId !== undefined && userId !== ctx.actor.id) throw wrongUser('The parameter `user_id`')
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, id)
    allow(canReadDataset(ctx.actor, dataset))
    const metricsOf = await loadMyMetrics(db, [dataset], ctx.actor.id)
    return { progress: toProgress(dataset, await listContributors(db, [dataset.id])), metrics: metricsOf(dataset) }
  })
}

/** Same for several users, with a few statements for any number of users. Permissions are checked before the result is sent. */
export function watchForUsers(ctx: OpenContext, id: Id, userIds: readonly Id[]): Promise<LiveOfUsers> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, id)
    const metrics = await loadMetricsOfUsers(db, dataset, userIds)
    return { progress: toProgress(dataset, await listContributors(db, [dataset.id])), metrics: Object.fromEntries(metrics) }
  })
}
