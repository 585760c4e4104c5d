/** Records from the server, or from the last visit where there is no network, as they are with what is still being sent. */
import type { ResponseStatus } from '@postil/domain/responses'
import { withCopy } from '../../offline-copy.ts'
import { myOutbox } from '../../outbox/my-outbox.ts'
import type { Write } from '../../outbox/write.ts'
import type { Queue } from './find/criteria.ts'
import type { QueuePage } from './record-queue.ts'

export async function fetchAhead(queue: Queue, load: () => Promise<QueuePage>, copyKey: string | null): Promise<QueuePage> {
  const page = copyKey === null ? await load() : await withCopy(copyKey, load)
  const outbox = myOutbox()
  return { ...page, items: page.items.filter(({ record }) => belongsTo(queue, outbox.pendingFor(record.id))) }
}

/** What was answered but has not arrived yet is no longer where the server still has it. */
const belongsTo = (queue: Queue, write: Write | undefined) => write === undefined || toQueue(write.status) === queue

const toQueue = (status: ResponseStatus | null): Queue => status ?? 'pending'
