import type { Dataset } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset, toDataset } from './store.ts'

export async function getDataset(ctx: RequestContext, id: Id): Promise<Dataset> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))
  return toDataset(dataset)
}
