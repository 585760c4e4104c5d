/** Task datasets. */
import { allow } from '@postil/domain/errors'
import type {
  LegacyDataset,
  LegacyDatasetCopy,
  LegacyDatasetCreate,
  LegacyDatasetUpdate,
} from '@postil/domain/legacy/api-datasets'
import { entityNotFound, missingWorkspace } from '@postil/domain/legacy/errors'
import { canChangeDataset, canReadDataset } from '@postil/domain/permissions'
import type { RequestContext } from '../context.ts'
import { audit } from '../features/audit-log/add.ts'
import { enqueue } from '../jobs/queue.ts'
import { write } from '../storage/write.ts'
import * as store from './datasets-store.ts'
import { copyRecords } from './records-store.ts'

export async function listLegacyDatasets(ctx: RequestContext, workspace: string): Promise<LegacyDataset[]> {
  const mine = ctx.actor.role === 'owner' ? null : ctx.actor.workspace_ids
  const datasets = await store.listDatasets(ctx.db, workspace === '' ? mine : [await findReadable(ctx, workspace)])
  return datasets.map(store.toLegacyDataset)
}

/** A workspace that the caller may not read is reported as not found. */
async function findReadable(ctx: RequestContext, name: string): Promise<string> {
  const { id } = await store.loadWorkspaceByName(ctx.db, name)
  if (!canReadDataset(ctx.actor, { workspace_id: id })) throw entityNotFound('Workspace', name)
  return id
}

export function createLegacyDataset(ctx: RequestContext, given: LegacyDatasetCreate, workspace: string): Promise<LegacyDataset> {
  return write(ctx, async tx => {
    const name = given.workspace ?? workspace
    if (name === '') throw missingWorkspace()
    const { id: workspace_id } = await store.loadWorkspaceByName(tx, name)
    allow(canChangeDataset(ctx.actor, { workspace_id }))
    const now = ctx.now()
    const dataset = await store.insertDataset(
      tx,
      {
        id: ctx.newId(),
        workspace_id,
        workspace: name,
        name: given.name,
        task: given.task,
        tags: given.tags ?? {},
        metadata: given.metadata ?? {},
        settings: null,
        rules: [],
        facts: store.NO_FACTS,
        is_closed: false,
        created_by: ctx.actor.username,
        created_at: now,
        last_updated: now,
      },
      'ServiceDataset',
    )
    await audit(tx, ctx, { action: 'dataset.created', target: dataset, workspaceId: workspace_id, details: { task: given.task } })
    return store.toLegacyDataset(dataset)
  })
}

export const getLegacyDataset = async (ctx: RequestContext, place: store.DatasetRef): Promise<LegacyDataset> =>
  store.toLegacyDataset(await store.loadDataset(ctx, ctx.db, place))

export function updateLegacyDataset(
  ctx: RequestContext,
  place: store.DatasetRef,
  given: LegacyDatasetUpdate,
): Promise<LegacyDataset> {
  return write(ctx, async tx => {
    const dataset = withDescription(await store.loadDataset(ctx, tx, place, { lock: true }), given, ctx.now())
    await store.updateDataset(tx, dataset)
    return store.toLegacyDataset(dataset)
  })
}

/** Tags and metadata are merged key by key. */
export const withDescription = (
  dataset: store.TaskDataset,
  { tags, metadata }: LegacyDatasetUpdate,
  now: string,
): store.TaskDataset => ({
  ...dataset,
  tags: { ...dataset.tags, ...tags },
  metadata: { ...dataset.metadata, ...metadata },
  last_updated: now,
})

/** Deleting a dataset that does not exist is not an error. A job deletes the records. */
export function deleteLegacyDataset(ctx: RequestContext, place: store.DatasetRef): Promise<null> {
  return write(ctx, async tx => {
    const dataset = await store.findDataset(tx, place, { lock: true })
    if (!dataset) return null
    allow(canChangeDataset(ctx.actor, dataset))
    await store.deleteDatasetRow(tx, dataset.no)
    await enqueue(tx, {
      id: ctx.newId(),
      now: ctx.now(),
      name: 'purge-legacy-records',
      payload: { dataset_no: dataset.no, done: 0 },
    })
    await audit(tx, ctx, { action: 'dataset.deleted', target: dataset, workspaceId: dataset.workspace_id })
    return null
  })
}

export function copyLegacyDataset(
  ctx: RequestContext,
  place: store.DatasetRef,
  given: LegacyDatasetCopy,
): Promise<LegacyDataset> {
  return write(ctx, async tx => {
    const source = await store.loadDataset(ctx, tx, place, { lock: true })
    const target = await store.loadWorkspaceByName(tx, given.target_workspace ?? source.workspace)
    allow(canChangeDataset(ctx.actor, source) && canChangeDataset(ctx.actor, { workspace_id: target.id }))
    const now = ctx.now()
    const copy = await store.insertDataset(
      tx,
      {
        ...source,
        id: ctx.newId(),
        workspace_id: target.id,
        workspace: target.name,
        name: given.name,
        tags: { ...source.tags, ...given.tags },
        metadata: { ...source.metadata, ...given.metadata, source_workspace: source.workspace, copied_from: source.name },
        created_by: ctx.actor.username,
        created_at: now,
        last_updated: now,
      },
      'Dataset',
    )
    await copyRecords(tx, { from: source.no, to: copy.no })
    const details = { copied_from: source.name }
    await audit(tx, ctx, { action: 'dataset.created', target: copy, workspaceId: target.id, details })
    return store.toLegacyDataset(copy)
  })
}

export function closeLegacyDataset(ctx: RequestContext, place: store.DatasetRef, is_closed: boolean): Promise<null> {
  return write(ctx, async tx => {
    const dataset = await store.loadDataset(ctx, tx, place, { lock: true })
    allow(canChangeDataset(ctx.actor, dataset))
    await store.updateDataset(tx, { ...dataset, is_closed })
    await audit(tx, ctx, {
      action: 'dataset.updated',
      target: dataset,
      workspaceId: dataset.workspace_id,
      details: { changed: ['is_closed'], is_closed },
    })
    return null
  })
}
