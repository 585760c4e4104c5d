/** Loads a dataset with everything its pages show, in one request. */
import { DATASET_PARTS } from '@postil/domain/api/first-calls'
import type { DatasetProgress, MyDatasetMetrics } from '@postil/domain/datasets'
import type { Question } from '@postil/domain/questions'
import { type DatasetOptions, optionsOf } from '../dataset-options.ts'
import { withCopy } from '../session/offline-copy.ts'
import type { ApiContext, Session } from '../session/session.ts'

const keyOf = (datasetId: string) => `dataset:${datasetId}`

const fetchDataset = ({ api }: ApiContext, datasetId: string, signal?: AbortSignal) =>
  api.getDataset({ params: { dataset_id: datasetId }, query: { include: [...DATASET_PARTS] } }, signal ? { signal } : {})

export const requestDataset = (asker: ApiContext, datasetId: string) =>
  asker.ahead.prefetch(keyOf(datasetId), () => fetchDataset(asker, datasetId))

export async function loadBundle(session: Session, datasetId: string, signal?: AbortSignal) {
  const key = keyOf(datasetId)
  const dataset = await withCopy(session, key, () => session.ahead.take(key, () => fetchDataset(session, datasetId, signal)))
  const { workspace, fields, questions, metadata_properties, vectors_settings, progress, metrics } = dataset
  // An older server may omit parts that were requested; reject its response instead of working with half of it.
  if (!workspace || !fields || !questions || !metadata_properties || !vectors_settings || !progress || !metrics)
    throw new Error('The server did not send all parts of the dataset')
  return {
    dataset,
    workspace,
    fields,
    questions,
    metadataProperties: metadata_properties,
    vectorsSettings: vectors_settings,
    progress: progress as DatasetProgress,
    metrics: metrics as MyDatasetMetrics,
    options: optionsOf(dataset) as DatasetOptions,
  }
}

export type DatasetBundle = Awaited<ReturnType<typeof loadBundle>>

/** True if a number key can answer and submit: there is one question, and a single key answers it. */
export const isSingleKey = (questions: readonly Question[], advances: (question: Question) => boolean) =>
  questions.length === 1 && questions.every(advances)
