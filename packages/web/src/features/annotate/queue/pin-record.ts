/** Loads a single record for a link, which works for every user regardless of their queue. */

import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { Session } from '../../../session/session.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'

export async function loadRecord({ api, userId }: Session, recordId: string): Promise<Omit<QueueItem, 'hasLeft'>> {
  const record = await api.getRecord({ params: { record_id: recordId } })
  const response = record.responses?.find(({ user_id }) => user_id === userId) ?? null
  return { record: { ...record, responses: response ? [response] : [] }, score: null, highlights: null, response }
}

export async function pinRecord(
  session: Session,
  recordId: string,
  { dataset }: DatasetBundle,
  queue: RecordQueue,
): Promise<void> {
  if (queue.goTo(recordId)) return
  const item = await loadRecord(session, recordId)
  if (item.record.dataset_id === dataset.id) queue.insert(item)
}
