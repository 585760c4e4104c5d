/** Save status for the top bar. */
import { computed } from 'vue'
import type { Session } from '../session/session.ts'
import { outboxOf } from './my-outbox.ts'

export interface Connection {
  /** `attention`: an answer was rejected and needs a decision. `signed-out`: answers wait until the user signs in. */
  state: 'saved' | 'saving' | 'offline' | 'signed-out' | 'attention'
  /** Number of answers that are not on the server yet. If there are none, number of local edits that are not on disk yet. */
  waiting: number
  /** Number of rejected answers. */
  attention: number
}

export function useConnection(session: Session) {
  const { waiting, refused, isOffline } = outboxOf(session)
  const { editing } = session.database
  return computed((): Connection => {
    const counts = { waiting: Math.max(waiting.value, editing.value), attention: refused.value.length }
    if (session.state.value === 'expired') return { state: 'signed-out', ...counts }
    if (counts.attention > 0) return { state: 'attention', ...counts }
    if (counts.waiting === 0) return { state: 'saved', ...counts }
    return { state: isOffline.value || !navigator.onLine ? 'offline' : 'saving', ...counts }
  })
}
