import type { Dataset, DatasetStatus } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canListDatasetsOf } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import * as store from './store.ts'

interface DatasetQuery {
  workspace_id?: Id
  name?: string
  status?: DatasetStatus
}

/** Datasets the caller can see: all for owners, those of their workspaces for others. */
export async function listDatasets(ctx: RequestContext, query: DatasetQuery): Promise<{ items: Dataset[] }> {
  const { workspace_id, name, status } = query
  if (workspace_id !== undefined) allow(canListDatasetsOf(ctx.actor, workspace_id))

  const visible = ctx.actor.role === 'owner' ? null : ctx.actor.workspace_ids
  const workspaceIds = workspace_id === undefined ? visible : [workspace_id]
  const datasets = await store.listDatasets(ctx.db, { workspaceIds, name, status })
  return { items: datasets.map(store.toDataset) }
}
