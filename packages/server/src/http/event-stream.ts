/**
 * Server-sent events of a dataset. The use case of a streaming route returns the current state, which is sent first;
 * http/dataset-streams.ts sends the changes.
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
  /** Responds with a stream; throws if there are too many. */
  open(reply: FastifyReply, request: StreamRequest): Promise<FastifyReply>
  /** Number of open streams. */
  count(): number
}

const STREAMS_OF_USER_MAX = 6
const STREAMS_MAX = 1_000
/** Short enough that proxies do not close the connection as idle. */
const HEARTBEAT_MS = 20_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Disables buffering in proxies.
  'x-accel-buffering': 'no',
  // Lets the server stop: otherwise the connection would stay open for further requests after the stream has ended.
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

/** Loads the dataset because the id in the path may be spelled differently from the stored one. */
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
