/** A dataset with all that its pages show, in one request. */
import type { DatasetProgress, MyDatasetMetrics } from '@postil/domain/datasets'
import type { Question } from '@postil/domain/questions'
import { type DatasetOptions, optionsOf } from '../dataset-options.ts'
import { withCopy } from '../session/offline-copy.ts'
import type { Asker, Session } from '../session/session.ts'

const INCLUDE = [
  'workspace',
  'fields',
  'questions',
  'metadata_properties',
  'vectors_settings',
  'progress',
  'metrics',
  'users',
] as const

const keyOf = (datasetId: string) => `dataset:${datasetId}`

const fetchDataset = ({ api }: Asker, datasetId: string, signal?: AbortSignal) =>
  api.getDataset({ params: { dataset_id: datasetId }, query: { include: [...INCLUDE] } }, signal ? { signal } : {})

export const askDataset = (asker: Asker, datasetId: string) =>
  asker.ahead.ask(keyOf(datasetId), () => fetchDataset(asker, datasetId))

export async function loadBundle(session: Session, datasetId: string, signal?: AbortSignal) {
  const key = keyOf(datasetId)
  const dataset = await withCopy(session, key, () => session.ahead.take(key, () => fetchDataset(session, datasetId, signal)))
  const { workspace, fields, questions, metadata_properties, vectors_settings, progress, metrics } = dataset
  // Asked for above; an older server leaves them out, and its answer is refused rather than half understood.
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

/** A number key may answer and submit: one question, and one key answers it. */
export const isSingleKey = (questions: readonly Question[], advances: (question: Question) => boolean) =>
  questions.length === 1 && questions.every(advances)
