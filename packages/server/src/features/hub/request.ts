/** Accepts requests to import from and export to the hub. Jobs do the work. */
import { allow, invalid } from '@postil/domain/errors'
import {
  checkMapping,
  checkRepository,
  checkSubsetOrSplit,
  type HubExport,
  type HubImport,
  SPLIT_DEFAULT,
  SUBSET_DEFAULT,
} from '@postil/domain/hub'
import type { Job } from '@postil/domain/jobs'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { enqueue } from '../../jobs/queue.ts'
import { write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { loadLockedDataset } from '../datasets/store.ts'
import { checkPublished } from '../records/create-bulk.ts'

/** Rejects requests that would make the job fail or import nothing. */
export function importFromHub(ctx: RequestContext, datasetId: Id, request: HubImport): Promise<Job> {
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    allow(canChangeDataset(ctx.actor, dataset))
    checkPublished(dataset)
    checkRepository(request.name)
    checkMapping(request.mapping, (await loadDatasetSettings(tx, dataset)).rules)
    for (const key of ['subset', 'split'] as const) if (request[key] === '') throw invalid(`The ${key} is missing`, [key])
    const [id, now] = [ctx.newId(), ctx.now()]
    const { name, subset, split, mapping } = request
    const progress = { source: null, done: 0, total: null, skipped: { count: 0, rows: [] } }
    const payload = { dataset_id: dataset.id, actor_id: ctx.actor.id, name, subset, split, mapping, ...progress }
    await enqueue(tx, { id, now, name: 'hub-import', payload })
    await audit(tx, ctx, {
      action: 'dataset.imported',
      target: dataset,
      workspaceId: dataset.workspace_id,
      details: { from: name, subset, split },
    })
    return { id, status: 'queued' }
  })
}

export function exportToHub(ctx: RequestContext, datasetId: Id, request: HubExport): Promise<Job> {
  return write(ctx, async tx => {
    const dataset = await loadLockedDataset(tx, datasetId)
    allow(canChangeDataset(ctx.actor, dataset))
    checkRepository(request.name)
    if (!request.name.includes('/')) throw invalid('The repository to export to is named `owner/name`', ['name'])
    const [subset, split] = [request.subset ?? SUBSET_DEFAULT, request.split ?? SPLIT_DEFAULT]
    checkSubsetOrSplit(subset, 'subset')
    checkSubsetOrSplit(split, 'split')
    if (dataset.records_count === 0) throw invalid('The dataset has no records to export')
    const [id, now] = [ctx.newId(), ctx.now()]
    const { name, token } = request
    const place = { name, subset, split, private: request.private ?? false }
    const payload = { dataset_id: dataset.id, actor_id: ctx.actor.id, ...place, done: 0, total: dataset.records_count }
    // The token is stored encrypted in the job, because the job outlives this process and another process may run it.
    await enqueue(tx, { id, now, name: 'hub-export', payload: { ...payload, token: ctx.apiKeys.encrypt(token) } })
    await audit(tx, ctx, {
      action: 'dataset.exported',
      target: dataset,
      workspaceId: dataset.workspace_id,
      details: { to: name, subset, split },
    })
    return { id, status: 'queued' }
  })
}
