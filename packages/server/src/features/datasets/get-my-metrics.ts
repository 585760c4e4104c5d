import type { DatasetMetrics } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { toMetrics } from './progress.ts'
import { countResponsesOf } from './progress-store.ts'
import { loadDataset } from './store.ts'

/** Returns the metrics of the caller's own responses. */
export async function getMyDatasetMetrics(ctx: RequestContext, id: Id): Promise<DatasetMetrics> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))
  return toMetrics(dataset, await countResponsesOf(ctx.db, [id], ctx.actor.id))
}
