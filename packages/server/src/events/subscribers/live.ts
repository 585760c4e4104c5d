/**
 * Collects the logs that have grown, and the notices that are not in a log, and sends them in batches, so that a bulk write of
 * any size costs one map entry. Followers of a dataset read the details from its log. Ignores datasets that are not watched,
 * unless other processes share the database, because they may have followers of their own.
 */
import type { Id } from '@postil/domain/schema'
import type { Notice } from '../emit.ts'
import type { Subscriber } from './all.ts'

export interface LiveBatch {
  /** Numbers of the newest entries of the logs that have grown. */
  heads: Map<Id, number>
  notices: Notice[]
  /** True if jobs were queued; sent to other processes only. */
  hasJobs?: true
  /** True if messages from other processes were lost, so that anything may have changed. */
  isLost?: true
}

export interface Live extends Subscriber {
  /** Replaces the set of watched datasets. */
  watch(datasetIds: readonly Id[]): void
}

/** How long a batch is collected: short enough for users, and long enough to combine the writes of a bulk loop. */
const BATCH_MS = 50

/** Maximum notices of a dataset in a batch; beyond it, one `many-changes` notice replaces them. */
const NOTICES_MAX = 200

/** Notices that are sent regardless of `NOTICES_MAX`, because they are few and `many-changes` cannot replace them. */
const ALWAYS_SENT: ReadonlySet<Notice['name']> = new Set(['job'])

interface LiveOptions {
  /** True if other processes are notified too, of changes in all datasets. */
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
      for (const notice of notices) if (isShared || watched.has(notice.dataset_id)) addNotice(batch, notice)
      batch.hasJobs ||= isShared && hasJobs
      if (isWaiting || (batch.heads.size + batch.notices.length === 0 && !batch.hasJobs)) return
      isWaiting = true
      // A pending batch does not delay the exit of the process.
      setTimeout(flush, BATCH_MS).unref()
    },
  }
}

interface PendingBatch {
  heads: Map<Id, number>
  notices: Notice[]
  counts: Map<Id, number>
  hasJobs: boolean
}

const newBatch = (): PendingBatch => ({ heads: new Map(), notices: [], counts: new Map(), hasJobs: false })

/** Keeps the larger number, because notifications may arrive in a different order than the commits. */
const addHead = (batch: PendingBatch, id: Id, changeNo: number) =>
  void batch.heads.set(id, Math.max(batch.heads.get(id) ?? 0, changeNo))

function addNotice(batch: PendingBatch, notice: Notice): void {
  if (!ALWAYS_SENT.has(notice.name)) {
    const count = (batch.counts.get(notice.dataset_id) ?? 0) + 1
    batch.counts.set(notice.dataset_id, count)
    if (count > NOTICES_MAX) return
  }
  batch.notices.push(notice)
}

function toBatch({ heads, notices, counts, hasJobs }: PendingBatch): LiveBatch {
  const flooded = [...counts].filter(([, count]) => count > NOTICES_MAX).map(([id]) => id)
  const sent = notices.filter(notice => ALWAYS_SENT.has(notice.name) || !flooded.includes(notice.dataset_id))
  const many = flooded.map((dataset_id): Notice => ({ name: 'many-changes', dataset_id, user_id: null, data: {} }))
  return { heads, notices: [...sent, ...many], ...(hasJobs && { hasJobs }) }
}
