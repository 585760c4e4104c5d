import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { VectorsSettings } from '@postil/domain/vectors'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import * as store from './store.ts'

export async function listVectorsSettings(ctx: RequestContext, datasetId: Id): Promise<{ items: VectorsSettings[] }> {
  const dataset = await loadDataset(ctx.db, datasetId)
  allow(canReadDataset(ctx.actor, dataset))
  return { items: (await store.listVectorsSettings(ctx.db, datasetId)).map(store.toVectorsSettings) }
}
