/** News from the server about this dataset, as it happens; without them the counters are asked for every half minute. */
import type { DatasetLive } from '@postil/domain/live'
import { SERVER_URL } from '../../server-address.ts'
import type { CounterBoard } from './counters.ts'
import type { RecordQueue } from './record-queue.ts'

interface Listeners {
  counters: CounterBoard
  queue: RecordQueue
  onSettingsChanged(): void
  onComments(recordId: string): void
}

const REFRESH_MS = 30_000

export function openLive(datasetId: string, { counters, queue, onSettingsChanged, onComments }: Listeners) {
  const source = new EventSource(`${SERVER_URL}/api/v1/me/datasets/${datasetId}/events`)
  const on = <T>(name: string, handle: (data: T) => void) =>
    source.addEventListener(name, event => handle(JSON.parse((event as MessageEvent<string>).data)))

  on<DatasetLive>('progress', given => counters.set(given))
  on<{ record_id: string }>('record-completed', ({ record_id }) => queue.remove(record_id))
  on('settings-changed', onSettingsChanged)
  on('dataset-deleted', onSettingsChanged)
  on<{ record_id: string }>('comment', ({ record_id }) => onComments(record_id))

  // A proxy may not let the stream through.
  const timer = setInterval(() => {
    if (source.readyState !== EventSource.OPEN && document.visibilityState === 'visible') counters.refresh().catch(() => null)
  }, REFRESH_MS)

  return {
    close() {
      source.close()
      clearInterval(timer)
    },
  }
}
