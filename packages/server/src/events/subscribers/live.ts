/**
 * Collects which logs have grown, and the notices that are not in a log, and hands it on in batches: a bulk write costs one entry in a
 * map, whatever its size. Those who follow a dataset read the rest from its log. While nobody does, nothing is looked at, unless other
 * processes share the database: somebody may follow it there.
 */
import type { Id } from '@postil/domain/schema'
import type { Notice } from '../emit.ts'
import type { Subscriber } from './all.ts'

export interface LiveBatch {
  /** The numbers of the newest entries of logs that have grown. */
  heads: Map<Id, number>
  notices: Notice[]
  /** Jobs were queued; told to other processes only. */
  hasJobs?: true
  /** What other processes told was lost: anything may have happened. */
  isLost?: true
}

export interface Live extends Subscriber {
  /** Only these datasets are looked at from now on. */
  watch(datasetIds: readonly Id[]): void
}

/** How long a batch is collected: short for people, long for a loop of bulk writes. */
const BATCH_MS = 50

/** A dataset with more to tell in one batch is said to have many changes instead. */
const NOTICES_MAX = 200

/** Told however many changes there are: few, and each is of its own kind. */
const ALWAYS_TOLD: ReadonlySet<Notice['name']> = new Set(['job'])

interface LiveOptions {
  /** Other processes are told too, of all datasets. */
  isShared?: boolean
}

export function openLive(post: (batch: LiveBatch) => void, { isShared = false }: LiveOptions = {}): Live {
  let watched: ReadonlySet<Id> = new Set()
  let batch = newBatch()
  let isWaiting = false

  const flush = () => {
    isWaiting = false
    post(toBatch(batch))
    batch = newBatch()
  }
  return {
    watch: datasetIds => {
      watched = new Set(datasetIds)
    },
    tell: (_ctx, { notices, heads, hasJobs = false }) => {
      if (watched.size === 0 && !isShared) return
      for (const [id, changeNo] of heads) if (isShared || watched.has(id)) addHead(batch, id, changeNo)
      for (const told of notices) if (isShared || watched.has(told.dataset_id)) addNotice(batch, told)
      batch.hasJobs ||= isShared && hasJobs
      if (isWaiting || (batch.heads.size + batch.notices.length === 0 && !batch.hasJobs)) return
      isWaiting = true
      // A server that stops waits for nobody who watches.
      setTimeout(flush, BATCH_MS).unref()
    },
  }
}

interface Collected {
  heads: Map<Id, number>
  notices: Notice[]
  counts: Map<Id, number>
  hasJobs: boolean
}

const newBatch = (): Collected => ({ heads: new Map(), notices: [], counts: new Map(), hasJobs: false })

/** Commits may be told in another order than that of their numbers. */
const addHead = (batch: Collected, id: Id, changeNo: number) =>
  void batch.heads.set(id, Math.max(batch.heads.get(id) ?? 0, changeNo))

function addNotice(batch: Collected, told: Notice): void {
  if (!ALWAYS_TOLD.has(told.name)) {
    const count = (batch.counts.get(told.dataset_id) ?? 0) + 1
    batch.counts.set(told.dataset_id, count)
    if (count > NOTICES_MAX) return
  }
  batch.notices.push(told)
}

function toBatch({ heads, notices, counts, hasJobs }: Collected): LiveBatch {
  const flooded = [...counts].filter(([, count]) => count > NOTICES_MAX).map(([id]) => id)
  const kept = notices.filter(told => ALWAYS_TOLD.has(told.name) || !flooded.includes(told.dataset_id))
  const many = flooded.map((dataset_id): Notice => ({ name: 'many-changes', dataset_id, user_id: null, data: {} }))
  return { heads, notices: [...kept, ...many], ...(hasJobs && { hasJobs }) }
}
