/**
 * Changing fields, questions, metadata properties and vectors settings: the same for all four.
 *
 * The dataset is locked first, so that rules over several items hold; its settings version grows with every change, so that
 * nobody goes on with settings kept in memory.
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
import { audit, listChanged } from '../audit-log/add.ts'
import { bumpSettingsVersion, loadDatasetToChange, type StoredDataset } from './store.ts'

/** Parts of the settings, and how the audit log calls one item of each. */
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
    await tellChanged(tx, dataset.id, what)
    await auditItem(ctx, tx, dataset, { what, verb: 'created', item: added })
    return added
  })
}

interface Change<Item> {
  what: Part
  load: Load<Item>
  /** The item with the change applied; throws when it may not be. */
  patch(item: Item): Item
  save(db: Queryable, item: NoInfer<Item>): Promise<void>
}

/** Changes an item. One that is the same afterwards is not written, so that its time stays: clients send all they have. */
export function changeItem<Item extends SettingsItem>(ctx: RequestContext, id: Id, change: Change<Item>): Promise<Item> {
  return write(ctx, async tx => {
    const { dataset_id } = await change.load(tx, id)
    const dataset = await loadChangeable(ctx, tx, dataset_id)
    // Again, now that nobody else can change it.
    const item = await change.load(tx, id)

    const changed = change.patch(item)
    if (isDeepStrictEqual(changed, item)) return item
    const saved = { ...changed, updated_at: ctx.now() }
    await change.save(tx, saved)
    await tellChanged(tx, dataset_id, change.what)
    const details = { changed: listChanged(item, saved) }
    await auditItem(ctx, tx, dataset, { what: change.what, verb: 'updated', item: saved, details })
    return saved
  })
}

interface Removal<Item> {
  what: Part
  /** What a message calls it. */
  noun: string
  load: Load<Item>
  /** Throws when it may not be removed. */
  check?(dataset: StoredDataset): void
  remove(db: Queryable, item: NoInfer<Item>): Promise<void>
}

/** Removes an item; with `datasetId`, only as one of that dataset. */
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
    await tellChanged(tx, dataset.id, removal.what)
    await auditItem(ctx, tx, dataset, { what: removal.what, verb: 'deleted', item })
    return item
  })
}

/** Those who keep settings in memory learn of it by the version, those who show them by the log. */
async function tellChanged(tx: Tx, datasetId: Id, what: SettingsPart): Promise<void> {
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

async function loadChangeable(ctx: RequestContext, tx: Tx, datasetId: Id): Promise<StoredDataset> {
  const dataset = await loadDatasetToChange(tx, datasetId)
  allow(canChangeDataset(ctx.actor, dataset))
  return dataset
}

/** Fields and questions are fixed once published: records and responses are made of them. */
export function checkDraft(dataset: StoredDataset, change: string): void {
  if (dataset.status === 'ready') throw invalid(`${change} is not possible in a published dataset`)
}
