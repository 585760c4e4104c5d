import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Question } from '@postil/domain/questions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { loadDataset } from '../datasets/store.ts'
import * as store from './store.ts'

export async function listQuestions(ctx: RequestContext, datasetId: Id): Promise<{ items: Question[] }> {
  const dataset = await loadDataset(ctx.db, datasetId)
  allow(canReadDataset(ctx.actor, dataset))
  return { items: (await store.listQuestions(ctx.db, datasetId)).map(store.toQuestion) }
}
