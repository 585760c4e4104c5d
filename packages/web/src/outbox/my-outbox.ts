/** The outbox of a session. */
import { computed } from 'vue'
import type { Session } from '../session/session.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { sendWrites } from './send.ts'

function open({ api, tabs, database, state, userId }: Session): Outbox {
  const outbox = openOutbox({
    tabs,
    database,
    send: batch => sendWrites(api, batch),
    isPaused: computed(() => state.value !== 'open'),
    // Few browsers have something of an earlier version.
    importOld: async () => {
      const part = await import('../storage/import-old.ts').catch(() => null)
      await part?.importOld(userId, database)
    },
  })
  const hurry = () => outbox.hurry()
  addEventListener('online', hurry)
  return {
    ...outbox,
    close: () => {
      removeEventListener('online', hurry)
      outbox.close()
    },
  }
}

export const outboxOf = (session: Session): Outbox => session.own(open)
