/** A link to one record shows it to everybody, whatever their queue looks like. */
import { api } from '../../api.ts'
import { me } from '../../session.ts'
import type { DatasetBundle } from './dataset-bundle.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'

export async function loadRecord(recordId: string): Promise<Omit<QueueItem, 'hasLeft'>> {
  const record = await api.getRecord({ params: { record_id: recordId } })
  const response = record.responses?.find(({ user_id }) => user_id === me.value?.id) ?? null
  return { record: { ...record, responses: response ? [response] : [] }, score: null, highlights: null, response }
}

export async function pinRecord(recordId: string, { dataset }: DatasetBundle, queue: RecordQueue): Promise<void> {
  if (queue.goTo(recordId)) return
  const item = await loadRecord(recordId)
  if (item.record.dataset_id === dataset.id) queue.insert(item)
}
