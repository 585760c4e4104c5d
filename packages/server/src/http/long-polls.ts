/**
 * Long polling for changes of a dataset. Requests are held here, on the main thread, and cost nothing until the dataset's log
 * grows. Then the call is made again, with credentials and permissions checked anew. On a timeout, or if the server stops, the
 * request gets the latest reply.
 */
import { RetryLater } from '@postil/domain/errors'
import type { Id } from '@postil/domain/schema'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { DatasetWatch } from '../events/dataset-watch.ts'
import type { AwaitedChange } from '../lib/answer.ts'
import type { Reply } from './call.ts'

export interface LongPoll {
  userId: Id
  /** Reply if nothing changes. */
  reply: Reply
  /** Makes the call again. */
  repeat(): Promise<Reply>
  /** Aborted when the client closes the connection. */
  signal: AbortSignal
}

export interface LongPolls {
  /** Returns the reply to send, immediately if it need not wait. Throws if too many requests are waiting. */
  settle(poll: LongPoll): Promise<Reply>
}

const POLLS_OF_USER_MAX = 32
const POLLS_MAX = 500
const RETRY_SECONDS = 5

export function createLongPolls(app: FastifyInstance, watch: DatasetWatch): LongPolls {
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
      const signals = [stopping.signal, poll.signal]
      if (!(await isChanged(watch, reply.waitsFor, { signals, waitMs: endsAt - performance.now() }))) return reply
      reply = await poll.repeat()
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

interface WaitLimits {
  signals: readonly AbortSignal[]
  waitMs: number
}

/** Resolves to true if the log changes before the timeout and before one of the signals is aborted. */
function isChanged(watch: DatasetWatch, { datasetId, after }: AwaitedChange, { signals, waitMs }: WaitLimits): Promise<boolean> {
  if (waitMs <= 0 || signals.some(signal => signal.aborted)) return Promise.resolve(false)
  return new Promise(resolve => {
    const settle = (changed: boolean) => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', stop)
      unfollow()
      resolve(changed)
    }
    const stop = () => settle(false)
    const timer = setTimeout(stop, waitMs)
    for (const signal of signals) signal.addEventListener('abort', stop)
    // Not only a larger number: a smaller one means that the log was replaced.
    const unfollow = watch.follow(datasetId, { onHead: changeNo => void (changeNo !== after && settle(true)) })
  })
}

/** Returns a signal that is aborted when the connection of the response has closed. */
export function whenClosed(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  if (reply.raw.destroyed) controller.abort()
  return controller.signal
}
