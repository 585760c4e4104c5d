/**
 * Notifies followers of datasets (event streams, long polls) of changes. The writer of this process notifies immediately through
 * `ctx.live`, and so do other processes (processes/bus.ts). In addition, the heads of all followed datasets are polled once a
 * second with one query: this finds changes that were committed before the writer started to watch the dataset, and changes whose
 * notification from another process was lost.
 */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import { supervise } from '../lib/supervise.ts'
import { listHeadNumbers } from '../storage/changes.ts'
import { isOutage } from '../storage/storage-failure.ts'
import type { Notice } from './emit.ts'

export interface Follower {
  /** Receives the number of the newest entry of the dataset's log: once at the beginning, and then whenever it may have grown. */
  onHead(changeNo: number): void
  onNotices?(notices: readonly Notice[]): void
}

export interface DatasetWatch {
  /** Returns a function that ends the subscription. */
  follow(datasetId: Id, follower: Follower): () => void
  close(): void
}

const LOOK_MS = 1_000

export function openDatasetWatch(ctx: Pick<Context, 'db' | 'live' | 'log'>): DatasetWatch {
  const followers = new Map<Id, Set<Follower>>()
  const tellHead = (datasetId: Id, changeNo: number) => {
    for (const follower of [...(followers.get(datasetId) ?? [])]) follower.onHead(changeNo)
  }
  const readHeads = async (datasetIds: readonly Id[]) => {
    for (const [id, changeNo] of await listHeadNumbers(ctx.db, datasetIds)) tellHead(id, changeNo)
  }
  const looking = supervise(() => readHeads([...followers.keys()]), { name: 'followed datasets', log: ctx.log, isOutage })
  let timer: NodeJS.Timeout | null = null
  const lookLater = () => {
    timer = setTimeout(
      async () => {
        await looking.step()
        timer = null
        if (followers.size > 0) lookLater()
      },
      Math.max(LOOK_MS, looking.waitMs()),
    ).unref()
  }
  const lookNow = async (datasetId: Id) => {
    try {
      await readHeads([datasetId])
    } catch (error) {
      ctx.log.warn({ err: error }, 'the head of a followed dataset could not be read')
    }
  }
  const watchAll = () => ctx.live.watch([...followers.keys()])

  ctx.live.listen(({ heads, notices, isLost = false }) => {
    tellNotices(followers, isLost ? [...notices, ...[...followers.keys()].map(toMany)] : notices)
    if (isLost) for (const id of followers.keys()) void lookNow(id)
    for (const [id, changeNo] of heads) tellHead(id, changeNo)
  })

  return {
    follow: (datasetId, follower) => {
      const known = followers.get(datasetId)
      if (known) known.add(follower)
      else {
        followers.set(datasetId, new Set([follower]))
        watchAll()
      }
      // Must follow `watchAll`: later commits are then notified, and earlier ones are in the head.
      void lookNow(datasetId)
      if (timer === null) lookLater()
      return () => {
        const left = followers.get(datasetId)
        if (!left?.delete(follower) || left.size > 0) return
        followers.delete(datasetId)
        watchAll()
      }
    },
    close: () => {
      followers.clear()
      clearTimeout(timer ?? undefined)
    },
  }
}

function tellNotices(followers: ReadonlyMap<Id, ReadonlySet<Follower>>, notices: readonly Notice[]): void {
  for (const [id, some] of Map.groupBy(notices, notice => notice.dataset_id)) {
    for (const follower of [...(followers.get(id) ?? [])]) follower.onNotices?.(some)
  }
}

/** Notice that makes pages reload everything. */
const toMany = (dataset_id: Id): Notice => ({ name: 'many-changes', dataset_id, user_id: null, data: {} })
