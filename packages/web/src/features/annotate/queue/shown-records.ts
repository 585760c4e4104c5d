/**
 * The rendered records: the current one, and hidden the next one, so that a step only has to show it. When the browser is idle,
 * the previous record is removed and the following one is rendered.
 */
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { whenIdle } from '../../../when-idle.ts'
import type { QueueItem, RecordQueue } from './record-queue.ts'

const idOf = (item: QueueItem | null | undefined) => item?.record.id

export function useShownRecords({ items, current, upcoming }: Pick<RecordQueue, 'items' | 'current' | 'upcoming'>) {
  const hidden = shallowRef<readonly QueueItem[]>([])
  let isPlanned = false
  let isOver = false

  function settle() {
    isPlanned = false
    if (!isOver) hidden.value = current.value ? upcoming.value.slice(0, 1) : []
  }
  watch(
    [current, () => upcoming.value[0]],
    ([now], [before]) => {
      // Keeps only the previous record, because the browser is never idle while a key is held down.
      if (before && idOf(before) !== idOf(now)) hidden.value = [before]
      if (!isPlanned) whenIdle(settle)
      isPlanned = true
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    isOver = true
  })

  /** Sorted like the queue, so that no element is moved: a moved iframe reloads. */
  return computed(() => {
    const now = current.value
    const byId = new Map(hidden.value.map(item => [idOf(item), item]))
    if (now) byId.set(idOf(now), now)
    if (byId.size < 2) return [...byId.values()]
    const places = new Map(items.value.map((item, index) => [idOf(item), index]))
    const placeOf = (item: QueueItem) => places.get(idOf(item)) ?? -1
    return [...byId.values()].sort((a, b) => placeOf(a) - placeOf(b))
  })
}
