/** Updates the page with changes to the dataset: as events arrive, or by polling every 30 seconds without them. */
import type { DatasetLive, LiveData } from '@postil/domain/live'
import { onScopeDispose } from 'vue'
import { feedOf } from '../../session/feed.ts'
import { notesOf } from './drawers/notes.ts'
import type { Annotation } from './form/annotation.ts'
import type { CounterBoard } from './queue/counters.ts'
import type { RecordQueue } from './queue/record-queue.ts'

interface Parts {
  annotation: Annotation
  counters: CounterBoard
  queue: RecordQueue
  onSettingsChanged(): void
  /** A job has ended, which may have replaced a label in answers and suggestions. */
  onJobEnded(): void
  onDeleted(): void
}

const REFRESH_MS = 30_000

const isEnded = ({ status }: LiveData['job']) => status === 'finished' || status === 'failed' || status === 'canceled'

export function useNews({ annotation, counters, queue, onSettingsChanged, onJobEnded, onDeleted }: Parts): void {
  const { session } = annotation
  const { datasetId } = counters
  const feed = feedOf(session)

  function complete(recordId: string): void {
    const inHand = queue.current.value
    if (inHand?.record.id === recordId && inHand.response?.status !== 'submitted') annotation.forms.notify(recordId, 'finished')
    queue.remove(recordId)
  }

  const stop = feed.listen(datasetId, (event, data) => {
    if (event === 'progress') counters.set(data as DatasetLive)
    if (event === 'record-completed') complete((data as { record_id: string }).record_id)
    if (event === 'comment') notesOf(session).reload((data as { record_id: string }).record_id)
    if (event === 'settings-changed') onSettingsChanged()
    if (event === 'job' && isEnded(data as LiveData['job'])) onJobEnded()
    if (event === 'dataset-deleted') onDeleted()
  })
  const timer = setInterval(() => {
    if (!feed.isLive(datasetId) && document.visibilityState === 'visible') counters.refresh().catch(() => null)
  }, REFRESH_MS)
  onScopeDispose(() => {
    stop()
    clearInterval(timer)
  })
}
