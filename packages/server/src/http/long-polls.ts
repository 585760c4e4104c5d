/**
 * Requests that wait for a change of a dataset. They are held here, on the main thread, and cost nothing until the dataset's log grows.
 * Then the call is made again, with credentials and rights checked anew. A request that waits for too long, or whose server stops,
 * gets the answer it had.
 */
import { RetryLater } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { FastifyInstance } from 'fastify'
import type { DatasetWatch } from '../events/dataset-watch.ts'
import type { AwaitedChange } from '../lib/answer.ts'
import type { Reply } from './call.ts'

export interface LongPoll {
  userId: Id
  /** What is answered if nothing happens. */
  reply: Reply
  /** Makes the call again. */
  look(): Promise<Reply>
  /** Ends when the caller closes the connection. */
  signal: AbortSignal
}

export interface LongPolls {
  /** Answers the reply to send; throws when too many wait. A reply that need not wait is answered at once. */
  settle(poll: LongPoll): Promise<Reply>
}

const POLLS_OF_USER_MAX = 32
const POLLS_MAX = 500
const RETRY_SECONDS = 5

export function openLongPolls(app: FastifyInstance, watch: DatasetWatch): LongPolls {
  const stopping = new AbortController()
  const waiting = new Map<Id, number>()
  let total = 0
  app.addHook('preClose', async () => stopping.abort())

  const count = (userId: Id, change: 1 | -1) => {
    total += change
    const left = (waiting.get(userId) ?? 0) + change
    if (left > 0) waiting.set(userId, left)
    else waiting.delete(userId)
  }
  const wait = async (poll: LongPoll, first: AwaitedChange): Promise<Reply> => {
    const endsAt = performance.now() + first.seconds * 1000
    let { reply } = poll
    while (reply.waitsFor) {
      const ends = [stopping.signal, poll.signal]
      if (!(await isChanged(watch, reply.waitsFor, { ends, waitMs: endsAt - performance.now() }))) return reply
      reply = await poll.look()
    }
    return reply
  }
  return {
    settle: async poll => {
      const { waitsFor } = poll.reply
      if (!waitsFor) return poll.reply
      checkRoom(total, waiting.get(poll.userId) ?? 0)
      count(poll.userId, 1)
      try {
        return await wait(poll, waitsFor)
      } finally {
        count(poll.userId, -1)
      }
    },
  }
}

function checkRoom(total: number, own: number): void {
  const again = `Try again in ${RETRY_SECONDS} seconds, or ask without \`wait\`.`
  if (own >= POLLS_OF_USER_MAX) {
    const message = `You have ${POLLS_OF_USER_MAX} requests that wait for changes, which is the most for one user. ${again}`
    throw new RetryLater('too_many_attempts', message, RETRY_SECONDS)
  }
  if (total >= POLLS_MAX) {
    const message = `The server has ${POLLS_MAX} requests that wait for changes, which is all it takes. ${again}`
    throw new RetryLater('unavailable', message, RETRY_SECONDS)
  }
}

interface Ends {
  ends: readonly AbortSignal[]
  waitMs: number
}

/** Whether the log has grown before the time is over or one of the signals ends the waiting. */
function isChanged(watch: DatasetWatch, { datasetId, after }: AwaitedChange, { ends, waitMs }: Ends): Promise<boolean> {
  if (waitMs <= 0 || ends.some(signal => signal.aborted)) return Promise.resolve(false)
  return new Promise(resolve => {
    const settle = (changed: boolean) => {
      clearTimeout(timer)
      for (const signal of ends) signal.removeEventListener('abort', stop)
      unfollow()
      resolve(changed)
    }
    const stop = () => settle(false)
    const timer = setTimeout(stop, waitMs)
    for (const signal of ends) signal.addEventListener('abort', stop)
    // A smaller number than the caller knows: the log is another one.
    const unfollow = watch.follow(datasetId, { onHead: changeNo => void (changeNo !== after && settle(true)) })
  })
}
