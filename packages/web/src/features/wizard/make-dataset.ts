/**
 * Creates the dataset of a plan step by step. Existing parts are skipped, so that an interrupted run continues where it stopped,
 * even if the response to its last request was lost.
 */
import type { Api } from '../../api.ts'
import type { DatasetPlan } from '../../mapping/plan.ts'
import { toDatasetBody, toDatasetOptions, toSettings } from '../../mapping/to-settings.ts'

/** Fingerprint of a plan. Plans with the same fingerprint create the same dataset. */
export const datasetFingerprint = (plan: DatasetPlan) =>
  JSON.stringify([toDatasetBody(plan), toDatasetOptions(plan), plan.workspace?.id ?? null, toSettings(plan)])

export async function createDraft(api: Api, plan: DatasetPlan, signal: AbortSignal): Promise<string> {
  if (plan.workspace === null) throw new Error('The plan has no workspace')
  const body = { ...toDatasetBody(plan), ...toDatasetOptions(plan), workspace_id: plan.workspace.id }
  return (await api.createDataset({ body }, { signal })).id
}

const INCLUDE = ['fields', 'questions', 'metadata_properties', 'vectors_settings']

/** Creates the settings one after the other, because they are displayed in the order of creation. */
export async function addSettings(api: Api, datasetId: string, plan: DatasetPlan, signal: AbortSignal): Promise<void> {
  const params = { dataset_id: datasetId }
  const dataset = await api.getDataset({ params, query: { include: INCLUDE } }, { signal })
  const { fields, questions, metadata_properties, vectors_settings } = toSettings(plan)
  const missing = <T extends { name: string }>(wanted: readonly T[], there: readonly { name: string }[] | undefined): T[] =>
    wanted.filter(({ name }) => !there?.some(one => one.name === name))
  for (const body of missing(fields, dataset.fields)) await api.createField({ params, body }, { signal })
  for (const body of missing(questions, dataset.questions)) await api.createQuestion({ params, body }, { signal })
  for (const body of missing(metadata_properties, dataset.metadata_properties))
    await api.createMetadataProperty({ params, body }, { signal })
  for (const body of missing(vectors_settings, dataset.vectors_settings))
    await api.createVectorsSettings({ params, body }, { signal })
}

export async function publish(api: Api, datasetId: string, signal: AbortSignal): Promise<void> {
  const params = { dataset_id: datasetId }
  const { status } = await api.getDataset({ params, query: {} }, { signal })
  if (status === 'draft') await api.publishDataset({ params }, { signal })
}
