/** The records ahead of a person, kept for work without a network, as they are with what is still being sent. */
import type { ResponseStatus } from '@postil/domain/responses'
import { outboxOf } from '../../outbox/my-outbox.ts'
import type { Session } from '../../session/session.ts'
import { whenIdle } from '../../when-idle.ts'
import type { Queue } from './find/criteria.ts'
import { type FoundPage, type KeptWindow, openKeptWindow } from './kept-window.ts'
import type { QueuePage } from './record-queue.ts'

const PAUSE_MS = 1_000

const toQueue = (status: ResponseStatus | null): Queue => status ?? 'pending'

/** What was answered but has not arrived yet is no longer where the server still has it. */
function isLeaving(session: Session, recordId: string, queue: Queue): boolean {
  const write = outboxOf(session).pendingFor(recordId)
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

/** `isFirst`: the first page of a visit, with which the window of kept records begins anew. */
export function keepPage(session: Session, page: FoundPage, queue: Queue, isFirst: boolean): QueuePage {
  if (!page.isKept) keptRecordsOf(session).add(page, queue, isFirst)
  const items = page.items.filter(({ record }) => !isLeaving(session, record.id, queue))
  return { ...page, size: page.items.length, items }
}
