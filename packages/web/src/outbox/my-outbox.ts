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
    // Loaded lazily, because few browsers have data of an earlier version.
    importLegacyData: async () => {
      const part = await import('../storage/import-legacy-data.ts').catch(() => null)
      await part?.importLegacyData(userId, database)
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
