/** Records from the server, or from the last visit where there is no network, as they are with what is still being sent. */
import type { ResponseStatus } from '@postil/domain/responses'
import { listenToOtherTabs, listenToOutbox, myOutbox } from '../../outbox/my-outbox.ts'
import { openTable } from '../../storage/browser-store.ts'
import { whenIdle } from '../../when-idle.ts'
import type { Queue } from './find/criteria.ts'
import { type FoundPage, openKeptWindow } from './kept-window.ts'
import type { QueuePage } from './record-queue.ts'

const PAUSE_MS = 1_000

const toQueue = (status: ResponseStatus | null): Queue => status ?? 'pending'

/** What was answered but has not arrived yet is no longer where the server still has it. */
function isLeaving(recordId: string, queue: Queue): boolean {
  const write = myOutbox().pendingFor(recordId)
  return write !== undefined && toQueue(write.status) !== queue
}

const kept = openKeptWindow({
  table: openTable('copies'),
  isLeaving,
  whenIdle: run => setTimeout(() => whenIdle(run), PAUSE_MS),
})
listenToOutbox({ onSaved: ({ recordId }, response) => kept.note(recordId, response) })
listenToOtherTabs(({ recordId }, response) => kept.note(recordId, response))

export const findKept = kept.find

/** `copyKey`: the first page of a visit, with which the window of kept records begins anew. */
export async function fetchAhead(queue: Queue, load: () => Promise<FoundPage>, copyKey: string | null): Promise<QueuePage> {
  const page = await load()
  if (!page.isKept) kept.add(page, queue, copyKey !== null)
  return { ...page, size: page.items.length, items: page.items.filter(({ record }) => !isLeaving(record.id, queue)) }
}
