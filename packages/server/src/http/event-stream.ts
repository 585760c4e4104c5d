/**
 * Server-sent events: connections that stay open and are told what happens in a dataset. The use case of a streaming route
 * answers the state of things, which is sent first; http/dataset-streams.ts sends the rest.
 */
import { DomainError, notFound } from '@postil/domain/errors'
import { parseIds } from '@postil/domain/ids'
import type { Actor } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../context.ts'
import type { DatasetWatch } from '../events/dataset-watch.ts'
import { findDataset, type StoredDataset } from '../features/datasets/store.ts'
import type { Dispatch } from './app.ts'
import { DatasetStreams } from './dataset-streams.ts'
import { EventConnection, type StreamRequest } from './event-connection.ts'

export interface EventStreams {
  /** Answers with a stream; throws when there are too many. */
  open(reply: FastifyReply, request: StreamRequest): Promise<FastifyReply>
  /** How many are open. */
  count(): number
}

const STREAMS_OF_USER_MAX = 6
const STREAMS_MAX = 1_000
/** Often enough that nothing in between takes the connection for dead. */
const HEARTBEAT_MS = 20_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies must not wait for more.
  'x-accel-buffering': 'no',
  // So that the server can stop: an answer that never ended before would leave the connection open for others.
  connection: 'close',
}

interface Source {
  ctx: Context
  dispatch: Dispatch
  watch: DatasetWatch
}

export function openEventStreams(app: FastifyInstance, { ctx, dispatch, watch }: Source): EventStreams {
  const streams = new Map<Id, DatasetStreams>()
  const all = () => [...streams.values()].flatMap(group => [...group.connections])
  let isClosing = false

  const add = (dataset: StoredDataset, request: StreamRequest): EventConnection => {
    const group = streams.get(dataset.id) ?? new DatasetStreams(ctx, dispatch, dataset)
    const connection = new EventConnection(request, closed => {
      if (!group.remove(closed) || group.connections.size > 0) return
      streams.delete(dataset.id)
      group.close()
    })
    group.add(connection)
    if (!streams.has(dataset.id)) {
      streams.set(dataset.id, group)
      group.follow(watch)
    }
    return connection
  }

  const heartbeat = setInterval(() => {
    for (const group of streams.values()) group.beat()
  }, HEARTBEAT_MS).unref()
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(heartbeat)
    for (const connection of all()) connection.end()
  })

  return {
    count: () => all().length,
    open: async (reply, request) => {
      const dataset = await loadDatasetOf(ctx, request)
      if (isClosing) throw new DomainError('unavailable', 'The server is stopping. Try again in a moment.')
      checkRoom(all(), request.call.actor)
      return reply.code(request.state.status).headers(HEADERS).send(add(dataset, request).start())
    },
  }
}

/** The path may spell the id otherwise than the database does. */
async function loadDatasetOf(ctx: Context, { call }: StreamRequest): Promise<StoredDataset> {
  const [id = ''] = parseIds(call.params.dataset_id ?? '')
  const dataset = await findDataset(ctx.db, id)
  if (!dataset) throw notFound('Dataset', id)
  return dataset
}

function checkRoom(open: readonly EventConnection[], actor: Actor | null): void {
  if (open.length >= STREAMS_MAX) {
    throw new DomainError(
      'unavailable',
      `The server has ${STREAMS_MAX} event streams open, which is all it takes. Try again later.`,
    )
  }
  if (open.filter(connection => connection.userId === actor?.id).length >= STREAMS_OF_USER_MAX) {
    throw new DomainError('too_many_attempts', `You have ${STREAMS_OF_USER_MAX} event streams open. Close one first.`)
  }
}
