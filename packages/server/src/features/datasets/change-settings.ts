/**
 * Changes fields, questions, metadata properties and vectors settings, in the same way for all four.
 *
 * The dataset is locked first, so that rules across several items hold. Every change increments its settings version, so that no
 * thread uses stale cached settings.
 */
import { isDeepStrictEqual } from 'node:util'
import type { AuditDetails } from '@postil/domain/audit-log'
import { allow, invalid, notFound } from '@postil/domain/errors'
import type { SettingsPart } from '@postil/domain/live'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import type { Queryable } from '../../storage/database.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit, listChangedProperties } from '../audit-log/add.ts'
import { bumpSettingsVersion, loadDatasetToChange, type StoredDataset } from './store.ts'

/** Parts of the settings, and the name of one item of each in the audit log. */
const NOUNS = {
  fields: 'field',
  questions: 'question',
  metadata_properties: 'metadata_property',
  vectors_settings: 'vectors_settings',
} as const satisfies Partial<Record<SettingsPart, string>>
type Part = keyof typeof NOUNS

interface SettingsItem {
  id: Id
  name: string
  dataset_id: Id
  updated_at: string
}

type Load<Item> = (db: Queryable, id: Id) => Promise<Item>

/** Runs `add`, which checks and stores a new item of the dataset. */
export function addToDataset<Item extends Pick<SettingsItem, 'id' | 'name'>>(
  ctx: RequestContext,
  { datasetId, what }: { datasetId: Id; what: Part },
  add: (tx: Tx, dataset: StoredDataset) => Promise<Item>,
): Promise<Item> {
  return write(ctx, async tx => {
    const dataset = await loadChangeable(ctx, tx, datasetId)
    const added = await add(tx, dataset)
    await announceSettingsChange(tx, dataset.id, what)
    await auditItem(ctx, tx, dataset, { what, verb: 'created', item: added })
    return added
  })
}

interface Change<Item> {
  what: Part
  load: Load<Item>
  /** Returns the item with the change applied. Throws if the change is not allowed. */
  patch(item: Item): Item
  /** Runs before `patch`, with the dataset locked. Throws if the item must not be changed. */
  check?(tx: Tx, item: NoInfer<Item>, dataset: StoredDataset): Promise<void>
  save(db: Queryable, item: NoInfer<Item>): Promise<void>
  /** Further changes in the same transaction. */
  also?(tx: Tx, item: NoInfer<Item>, dataset: StoredDataset): Promise<void>
  /** Audit log details in addition to the changed properties. */
  details?: AuditDetails
}

/** Changes an item. Clients send all properties, so an item without differences is not written and its `updated_at` remains. */
export function changeItem<Item extends SettingsItem>(ctx: RequestContext, id: Id, change: Change<Item>): Promise<Item> {
  return write(ctx, async tx => {
    const { dataset_id } = await change.load(tx, id)
    const dataset = await loadChangeable(ctx, tx, dataset_id)
    // Loaded again, because the dataset is locked now.
    const item = await change.load(tx, id)

    await change.check?.(tx, item, dataset)
    const changed = change.patch(item)
    if (isDeepStrictEqual(changed, item)) return item
    const saved = { ...changed, updated_at: ctx.now() }
    await change.save(tx, saved)
    await announceSettingsChange(tx, dataset_id, change.what)
    await change.also?.(tx, saved, dataset)
    const details = { changed: listChangedProperties(item, saved), ...change.details }
    await auditItem(ctx, tx, dataset, { what: change.what, verb: 'updated', item: saved, details })
    return saved
  })
}

interface Removal<Item> {
  what: Part
  /** Name of the item in messages. */
  noun: string
  load: Load<Item>
  /** Throws if the item must not be removed. */
  check?(dataset: StoredDataset): void
  remove(db: Queryable, item: NoInfer<Item>): Promise<void>
}

/** Removes an item. With `datasetId`, only if the item belongs to that dataset. */
export function removeItem<Item extends SettingsItem>(
  ctx: RequestContext,
  { id, datasetId }: { id: Id; datasetId?: Id },
  removal: Removal<Item>,
): Promise<Item> {
  return write(ctx, async tx => {
    const dataset = await loadChangeable(ctx, tx, datasetId ?? (await removal.load(tx, id)).dataset_id)
    const item = await removal.load(tx, id)
    if (item.dataset_id !== dataset.id) throw notFound(removal.noun, id)
    removal.check?.(dataset)

    await removal.remove(tx, item)
    await announceSettingsChange(tx, dataset.id, removal.what)
    await auditItem(ctx, tx, dataset, { what: removal.what, verb: 'deleted', item })
    return item
  })
}

/** Invalidates cached settings by the version, and notifies clients by the change log. */
export async function announceSettingsChange(tx: Tx, datasetId: Id, what: SettingsPart): Promise<void> {
  await bumpSettingsVersion(tx, datasetId)
  logChange(tx, { name: 'settings.updated', dataset_id: datasetId, details: { settings: what } })
}

interface ItemChange {
  what: Part
  verb: 'created' | 'updated' | 'deleted'
  item: Pick<SettingsItem, 'id' | 'name'>
  details?: AuditDetails
}

function auditItem(
  ctx: RequestContext,
  tx: Tx,
  dataset: StoredDataset,
  { what, verb, item, details }: ItemChange,
): Promise<void> {
  return audit(tx, ctx, {
    action: `${NOUNS[what]}.${verb}`,
    target: item,
    workspaceId: dataset.workspace_id,
    details: { dataset: { id: dataset.id, name: dataset.name }, ...details },
  })
}

export async function loadChangeable(ctx: RequestContext, tx: Tx, datasetId: Id): Promise<StoredDataset> {
  const dataset = await loadDatasetToChange(tx, datasetId)
  allow(canChangeDataset(ctx.actor, dataset))
  return dataset
}

/** Fields and questions cannot change after publishing, because records and responses depend on them. */
export function checkDraft(dataset: StoredDataset, change: string): void {
  if (dataset.status === 'ready') throw invalid(`${change} is not possible in a published dataset`)
}
