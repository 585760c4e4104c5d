/**
 * Collects what those who have a dataset open are told, and hands it on in batches: a bulk write costs one entry in a set,
 * whatever its size. While nobody has a dataset open, nothing is looked at.
 */
import type { Id } from '@postil/domain/schema'
import type { Event, Notice } from '../emit.ts'
import type { Subscriber } from './all.ts'

export interface LiveBatch {
  /** The numbers of the newest entries of logs that have grown. */
  heads: Map<Id, number>
  notices: Notice[]
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
const ALWAYS_TOLD: ReadonlySet<Notice['name']> = new Set(['settings-changed', 'job', 'dataset-deleted'])

export function openLive(post: (batch: LiveBatch) => void): Live {
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
    tell: (_ctx, events, notices, heads) => {
      if (watched.size === 0) return
      for (const event of events) if (watched.has(datasetOf(event))) addEvent(batch, event)
      for (const [id, changeNo] of heads) if (watched.has(id)) addHead(batch, id, changeNo)
      for (const told of notices) if (watched.has(told.dataset_id)) addNotice(batch, told)
      if (isWaiting || batch.heads.size + batch.notices.length === 0) return
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
}

const newBatch = (): Collected => ({ heads: new Map(), notices: [], counts: new Map() })

const datasetOf = ({ payload }: Event): Id => ('dataset' in payload ? payload.dataset.id : payload.dataset_id)

/** Commits may be told in another order than that of their numbers. */
const addHead = (batch: Collected, id: Id, changeNo: number) =>
  void batch.heads.set(id, Math.max(batch.heads.get(id) ?? 0, changeNo))

function addEvent(batch: Collected, event: Event): void {
  const dataset_id = datasetOf(event)
  const toAll = { dataset_id, user_id: null }
  if (event.name === 'record.completed') {
    for (const record_id of event.payload.record_ids)
      addNotice(batch, { ...toAll, name: 'record-completed', data: { record_id } })
  } else if (event.name === 'dataset.updated' || event.name === 'dataset.published') {
    addNotice(batch, { ...toAll, name: 'settings-changed', data: { what: 'dataset' } })
  } else if (event.name === 'dataset.deleted') {
    addNotice(batch, { ...toAll, name: 'dataset-deleted', data: {} })
  }
}

function addNotice(batch: Collected, told: Notice): void {
  if (!ALWAYS_TOLD.has(told.name)) {
    const count = (batch.counts.get(told.dataset_id) ?? 0) + 1
    batch.counts.set(told.dataset_id, count)
    if (count > NOTICES_MAX) return
  }
  batch.notices.push(told)
}

function toBatch({ heads, notices, counts }: Collected): LiveBatch {
  const flooded = [...counts].filter(([, count]) => count > NOTICES_MAX).map(([id]) => id)
  const kept = notices.filter(told => ALWAYS_TOLD.has(told.name) || !flooded.includes(told.dataset_id))
  const many = flooded.map((dataset_id): Notice => ({ name: 'many-changes', dataset_id, user_id: null, data: {} }))
  return { heads, notices: [...kept, ...many] }
}
