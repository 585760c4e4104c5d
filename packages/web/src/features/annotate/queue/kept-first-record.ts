/** Keeps the record on screen for the next visit, which shows it before the server has answered. */
import { onScopeDispose, type Ref, watch } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { keepFirstRecord, toFirstRecord } from '../../../fields/first-record.ts'
import type { Session } from '../../../session/session.ts'
import { whenIdle } from '../../../when-idle.ts'
import type { RecordQueue } from './record-queue.ts'

export function useKeptFirstRecord(
  { items, state, userId }: Session,
  bundle: Readonly<Ref<DatasetBundle>>,
  { current, isLoaded }: RecordQueue,
): void {
  let isPlanned = false
  let isOver = false
  function keep(): void {
    isPlanned = false
    if (isOver) return
    const record = state.value === 'open' ? current.value?.record : undefined
    keepFirstRecord(items, record ? toFirstRecord(userId, record, bundle.value.dataset) : null, location.search)
  }
  watch([current, bundle, state, isLoaded], () => {
    if (isPlanned || !isLoaded.value) return
    isPlanned = true
    // After the step, which also changes the URL.
    whenIdle(keep)
  })
  onScopeDispose(() => {
    isOver = true
  })
}
