import { allow } from '@postil/domain/errors'
import type { DatasetLive } from '@postil/domain/live'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadMyMetrics } from './my-metrics.ts'
import { toProgress } from './progress.ts'
import { listContributors } from './progress-store.ts'
import { loadDataset } from './store.ts'

/** How far everybody is and how far the caller: what event streams begin with, and tell again when it changed. */
export function watchDataset(ctx: RequestContext, id: Id): Promise<DatasetLive> {
  return ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, id)
    allow(canReadDataset(ctx.actor, dataset))
    const metricsOf = await loadMyMetrics(db, [dataset], ctx.actor.id)
    return { progress: toProgress(dataset, await listContributors(db, [dataset.id])), metrics: metricsOf(dataset) }
  })
}
