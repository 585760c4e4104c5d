/** Records ahead of the user, stored for offline work. Records with an unsent answer are left out. */
import type { ResponseStatus } from '@postil/domain/responses'
import { outboxOf } from '../../../outbox/my-outbox.ts'
import type { Write } from '../../../outbox/write.ts'
import type { Session } from '../../../session/session.ts'
import { whenIdle } from '../../../when-idle.ts'
import type { Queue } from '../find/query/criteria.ts'
import { type FoundPage, type KeptWindow, openKeptWindow } from './kept-window.ts'
import type { QueuePage } from './record-queue.ts'

const PAUSE_MS = 1_000

const toQueue = (status: ResponseStatus | null): Queue => status ?? 'pending'

/** True if an unsent answer moves the record to another queue, although the server still lists it in this one. */
function isLeaving(session: Session, recordId: string, queue: Queue, stored: readonly Write[] = []): boolean {
  const write = outboxOf(session).pendingFor(recordId) ?? stored.findLast(one => one.recordId === recordId)
  return write !== undefined && toQueue(write.status) !== queue
}

function open(session: Session): KeptWindow & { close(): void } {
  const kept = openKeptWindow({
    database: session.database,
    isLeaving: (recordId, queue) => isLeaving(session, recordId, queue),
    whenIdle: run => setTimeout(() => whenIdle(run), PAUSE_MS),
  })
  const close = outboxOf(session).listen({ onSaved: ({ recordId }, response) => kept.note(recordId, response) })
  return { ...kept, close }
}

export const keptRecordsOf = (session: Session): KeptWindow => session.own(open)

/** `isFirst`: the first page of a visit, which starts a new window of stored records. */
export async function keepPage(session: Session, page: FoundPage, queue: Queue, isFirst: boolean): Promise<QueuePage> {
  if (!page.isKept) keptRecordsOf(session).add(page, queue, isFirst)
  // Stored records may be available before the outbox has loaded the unsent writes of an earlier visit.
  const stored = (page.isKept && (await session.database.all<Write>('outbox'))) || []
  const items = page.items.filter(({ record }) => !isLeaving(session, record.id, queue, stored))
  return { ...page, size: page.items.length, items }
}
