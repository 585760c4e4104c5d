import type { DatasetProgress } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { toProgress } from './progress.ts'
import { listContributors } from './progress-store.ts'
import { loadDataset } from './store.ts'

export async function getDatasetProgress(ctx: RequestContext, id: Id): Promise<DatasetProgress> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))
  return toProgress(dataset, await listContributors(ctx.db, [id]))
}
