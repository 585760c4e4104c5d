import type { DatasetMetrics } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { countResponsesOf } from './progress-store.ts'
import { loadDataset } from './store.ts'

/** The caller's own responses. Pending are all records without one, also those that others completed. */
export async function getMyDatasetMetrics(ctx: RequestContext, id: Id): Promise<DatasetMetrics> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))

  const total = dataset.records_count
  const counts = await countResponsesOf(ctx.db, id, ctx.actor.id)
  const [submitted, discarded, draft] = [counts.get('submitted') ?? 0, counts.get('discarded') ?? 0, counts.get('draft') ?? 0]
  const count = submitted + discarded + draft
  return { records: { count: total }, responses: { count, total, submitted, discarded, draft, pending: total - count } }
}
