import type { DatasetProgress } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canReadDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { listUsernames } from './progress-store.ts'
import { loadDataset } from './store.ts'

export async function getDatasetProgress(ctx: RequestContext, id: Id): Promise<DatasetProgress> {
  const dataset = await loadDataset(ctx.db, id)
  allow(canReadDataset(ctx.actor, dataset))

  const { records_count: total, completed_count: completed } = dataset
  const usernames = await listUsernames(ctx.db, id)
  return { total, completed, pending: total - completed, users: usernames.map(username => ({ username })) }
}
