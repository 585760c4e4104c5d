/** How saving stands, for the line in the top bar. */
import { computed } from 'vue'
import type { Session } from '../session/session.ts'
import { outboxOf } from './my-outbox.ts'

export interface Connection {
  /** `attention`: an answer was refused and waits for a decision. `signed-out`: answers wait for the person to sign in. */
  state: 'saved' | 'saving' | 'offline' | 'signed-out' | 'attention'
  /** Answers that are not at the server yet; or else edits of what this browser keeps that are not on the disk. */
  waiting: number
  /** Answers that were refused. */
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
