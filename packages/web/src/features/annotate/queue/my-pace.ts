/**
 * The user's pace on this page. It follows the user's actions immediately, and is read from the server when none of them waits: at
 * the start, and at most every ten seconds after answers were saved here or in another browser.
 */
import { onScopeDispose, shallowRef } from 'vue'
import { type Pace, readPace, storePace, type TimedStatus, toPace, utcOffset, withChange } from '../../../datasets/pace.ts'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import type { Session } from '../../../session/session.ts'
import { whenIdle } from '../../../when-idle.ts'

const ASK_AGAIN_MS = 10_000

export function useMyPace(session: Session, datasetId: string) {
  const { api, items } = session
  const outbox = outboxOf(session)
  const pace = shallowRef<Pace>(readPace(items, datasetId))
  let changes = 0
  let askedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const asking = new AbortController()

  const isWaiting = () => outbox.unsettled.value.some(write => write.datasetId === datasetId && write.refusal === null)
  function set(next: Pace): void {
    pace.value = next
    storePace(items, datasetId, next)
  }

  async function ask(): Promise<void> {
    timer = undefined
    // Asks again when the last one is saved, or when the page is shown.
    if (isWaiting() || document.visibilityState !== 'visible' || asking.signal.aborted) return
    askedAt = Date.now()
    const before = changes
    const query = { include: ['pace'], utc_offset: utcOffset() }
    const found = await api.getDataset({ params: { dataset_id: datasetId }, query }, { signal: asking.signal }).catch(() => null)
    if (!found?.pace || asking.signal.aborted) return
    // An answer that was given meanwhile may or may not be counted.
    if (before === changes && !isWaiting()) set(toPace(found.pace))
    else askSoon()
  }

  /** Repeated calls are one request. */
  function askSoon(): void {
    if (timer !== undefined || asking.signal.aborted) return
    timer = setTimeout(() => void ask(), Math.max(0, askedAt + ASK_AGAIN_MS - Date.now()))
  }

  function change(from: TimedStatus, to: TimedStatus): void {
    changes++
    set(withChange(pace.value, from, to))
  }

  const stop = outbox.listen({
    onSaved: ({ datasetId: savedIn, status }) => {
      if (savedIn === datasetId && status !== 'draft') askSoon()
    },
  })
  document.addEventListener('visibilitychange', askSoon)
  whenIdle(() => void ask())
  onScopeDispose(() => {
    stop()
    asking.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', askSoon)
  })
  return { pace, change, isWaiting, askSoon }
}

export type MyPace = ReturnType<typeof useMyPace>
