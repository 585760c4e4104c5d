import { type DatasetWithIncludes, parseDatasetIncludes } from '@postil/domain/dataset-includes'
import type { DatasetStatus } from '@postil/domain/datasets'
import { allow } from '@postil/domain/errors'
import { canListDatasetsOf } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { includeInDatasets } from './include.ts'
import { toTodayStart } from './my-pace.ts'
import * as store from './store.ts'

interface DatasetQuery {
  workspace_id?: Id
  name?: string
  status?: DatasetStatus
  include?: readonly string[]
  utc_offset?: number
}

/** Lists the datasets that the caller can see: all of them for owners, those of their workspaces for others. */
export async function listDatasets(ctx: RequestContext, query: DatasetQuery): Promise<{ items: DatasetWithIncludes[] }> {
  const { workspace_id, name, status, include, utc_offset } = query
  if (workspace_id !== undefined) allow(canListDatasetsOf(ctx.actor, workspace_id))

  const visible = ctx.actor.role === 'owner' ? null : ctx.actor.workspace_ids
  const workspaceIds = workspace_id === undefined ? visible : [workspace_id]
  const filter = { workspaceIds, name, status }
  if (include === undefined) return { items: (await store.listDatasets(ctx.db, filter)).map(store.toDataset) }
  return ctx.db.snapshot(async db => {
    const datasets = await store.listDatasets(db, filter)
    return {
      items: await includeInDatasets(db, ctx.actor, datasets, parseDatasetIncludes(include), toTodayStart(ctx.now(), utc_offset)),
    }
  })
}
