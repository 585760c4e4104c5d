/**
 * Changing fields, questions, metadata properties and vectors settings: the same for all four.
 *
 * The dataset is locked first, so that rules over several items hold; its settings version grows with every change, so that
 * nobody goes on with settings kept in memory.
 */
import { isDeepStrictEqual } from 'node:util'
import { allow, invalid, notFound } from '@postil/domain/errors'
import type { SettingsPart } from '@postil/domain/live'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import type { Queryable } from '../../storage/database.ts'
import { type Tx, write } from '../../storage/write.ts'
import { bumpSettingsVersion, loadDatasetToChange, type StoredDataset } from './store.ts'

interface SettingsItem {
  id: Id
  dataset_id: Id
  updated_at: string
}

type Load<Item> = (db: Queryable, id: Id) => Promise<Item>

/** Runs `add`, which checks and stores a new item of the dataset. */
export function addToDataset<T>(
  ctx: RequestContext,
  { datasetId, what }: { datasetId: Id; what: SettingsPart },
  add: (tx: Tx, dataset: StoredDataset) => Promise<T>,
): Promise<T> {
  return write(ctx, async tx => {
    const dataset = await loadChangeable(ctx, tx, datasetId)
    const added = await add(tx, dataset)
    await tellChanged(tx, dataset.id, what)
    return added
  })
}

interface Change<Item> {
  what: SettingsPart
  load: Load<Item>
  /** The item with the change applied; throws when it may not be. */
  patch(item: Item): Item
  save(db: Queryable, item: NoInfer<Item>): Promise<void>
}

/** Changes an item. One that is the same afterwards is not written, so that its time stays: clients send all they have. */
export function changeItem<Item extends SettingsItem>(ctx: RequestContext, id: Id, change: Change<Item>): Promise<Item> {
  return write(ctx, async tx => {
    const { dataset_id } = await change.load(tx, id)
    await loadChangeable(ctx, tx, dataset_id)
    // Again, now that nobody else can change it.
    const item = await change.load(tx, id)

    const changed = change.patch(item)
    if (isDeepStrictEqual(changed, item)) return item
    const saved = { ...changed, updated_at: ctx.now() }
    await change.save(tx, saved)
    await tellChanged(tx, dataset_id, change.what)
    return saved
  })
}

interface Removal<Item> {
  what: SettingsPart
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
    return item
  })
}

/** Those who keep settings in memory learn of it by the version, those who show them by the log. */
async function tellChanged(tx: Tx, datasetId: Id, what: SettingsPart): Promise<void> {
  await bumpSettingsVersion(tx, datasetId)
  logChange(tx, { name: 'settings.updated', dataset_id: datasetId, details: { settings: what } })
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
