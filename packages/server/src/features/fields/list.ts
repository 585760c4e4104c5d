import { allow } from '@postil/domain/errors'
import type { Field } from '@postil/domain/fields'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import * as store from './store.ts'

export async function listFields(ctx: RequestContext, datasetId: Id): Promise<{ items: Field[] }> {
  const dataset = await loadDataset(ctx.db, datasetId)
  allow(canReadDataset(ctx.actor, dataset))
  return { items: await store.listFields(ctx.db, datasetId) }
}
