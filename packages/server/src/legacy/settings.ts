/** Label schemas of task datasets. */
import { allow } from '@postil/domain/errors'
import { badRequest, entityNotFound } from '@postil/domain/legacy/errors'
import { TASK_RULES } from '@postil/domain/legacy/rules-of'
import { labelsOfSchema, type Settings, type SettingsInput, toSettings } from '@postil/domain/legacy/settings'
import { listed } from '@postil/domain/message-values'
import { canChangeDataset } from '@postil/domain/permissions'
import type { Json } from '@postil/domain/schema'
import type { RequestContext } from '../context.ts'
import { audit } from '../features/audit-log/add.ts'
import type { Queryable } from '../storage/database.ts'
import { type Tx, write } from '../storage/write.ts'
import { type DatasetRef, loadDataset, type TaskDataset, updateDataset } from './datasets-store.ts'
import { visitRecords } from './records-store.ts'

export type SettingsPlace = DatasetRef & { task: 'TextClassification' | 'TokenClassification' }

export async function getLegacySettings(ctx: RequestContext, place: SettingsPlace): Promise<Json> {
  const { settings } = await loadDataset(ctx, ctx.db, place)
  if (settings === null) throw entityNotFound(`${place.task}Settings`, place.name)
  return settings as unknown as Json
}

/** Replaces the previous settings. */
export function saveLegacySettings(ctx: RequestContext, place: SettingsPlace, given: SettingsInput): Promise<Json> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, place, { lock: true })
    allow(canChangeDataset(ctx.actor, dataset))
    const settings = toSettings(given)
    await checkLabelsInUse(tx, dataset, settings)
    const vectors = checkDimensions(dataset, settings)
    await store(ctx, tx, { ...dataset, settings, facts: { ...dataset.facts, vectors } })
    return settings as unknown as Json
  })
}

export function deleteLegacySettings(ctx: RequestContext, place: SettingsPlace): Promise<null> {
  return write(ctx, async tx => {
    const dataset = await loadDataset(ctx, tx, place, { lock: true })
    allow(canChangeDataset(ctx.actor, dataset))
    await store(ctx, tx, { ...dataset, settings: null })
    return null
  })
}

async function store(ctx: RequestContext, tx: Tx, dataset: TaskDataset): Promise<void> {
  await updateDataset(tx, { ...dataset, last_updated: ctx.now() })
  const details = { changed: ['settings'] }
  await audit(tx, ctx, { action: 'dataset.updated', target: dataset, workspaceId: dataset.workspace_id, details })
}

/** Every label in use by records must be in the schema. */
async function checkLabelsInUse(db: Queryable, dataset: TaskDataset, settings: Settings): Promise<void> {
  const allowed = labelsOfSchema(settings)
  if (allowed === null) return
  const { labelsOf } = TASK_RULES[dataset.task]
  const missing = new Set<string>()
  await visitRecords(db, dataset.no, ({ record: { prediction, annotation } }) => {
    for (const side of [prediction, annotation]) {
      for (const label of side ? labelsOf(side) : []) if (!allowed.has(label)) missing.add(label)
    }
  })
  if (missing.size > 0)
    throw badRequest(`Records of the dataset have labels that the schema does not list: ${listed([...missing])}`)
}

/** Returns the dimensions of all vectors, including those in the settings. */
function checkDimensions({ facts }: TaskDataset, { vectors }: Settings): Record<string, number> {
  const known = new Map(Object.entries(facts.vectors))
  for (const [name, { dim }] of Object.entries(vectors ?? {})) {
    const dimensions = known.get(name) ?? dim
    if (dimensions !== dim) throw badRequest(`Vector \`${name}\` has ${dimensions} dimensions already, not ${dim}`)
    known.set(name, dim)
  }
  return Object.fromEntries(known)
}
