/** What happens in the dataset meanwhile: on screen as it happens, or every half minute where no news come. */
import type { DatasetLive } from '@postil/domain/live'
import { onScopeDispose } from 'vue'
import { feedOf } from '../../session/feed.ts'
import type { Annotation } from './annotation.ts'
import type { CounterBoard } from './counters.ts'
import { notesOf } from './notes.ts'
import type { RecordQueue } from './record-queue.ts'

interface Parts {
  annotation: Annotation
  counters: CounterBoard
  queue: RecordQueue
  onSettingsChanged(): void
  onDeleted(): void
}

const REFRESH_MS = 30_000

export function useNews({ annotation, counters, queue, onSettingsChanged, onDeleted }: Parts): void {
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
