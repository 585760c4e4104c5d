/** Counters of the writer thread, in shared memory that the main thread reads without messages or waiting. */
import { EVENTS, type EventName } from '@postil/domain/events'
import type { Event } from '../events/emit.ts'
import type { Subscriber } from '../events/subscribers/all.ts'
import type { Database } from '../storage/database.ts'
import type { Sample } from './samples.ts'

const EVENT_NAMES = Object.keys(EVENTS) as EventName[]
const COMMITS = 0
const BYTES = 8 * (1 + EVENT_NAMES.length)

export const createSharedCounters = () => new SharedArrayBuffer(BYTES)

export function listSharedCounters(memory: SharedArrayBuffer): Sample[] {
  const counts = new BigInt64Array(memory)
  const valueAt = (place: number) => Number(Atomics.load(counts, place))
  return [
    { name: 'postil_commits_total', labels: [], value: valueAt(COMMITS) },
    ...EVENT_NAMES.map(
      (event, index): Sample => ({ name: 'postil_changes_total', labels: [['event', event]], value: valueAt(index + 1) }),
    ),
  ]
}

/** Counts committed changes. */
export function countChanges(memory: SharedArrayBuffer): Subscriber {
  const counts = new BigInt64Array(memory)
  return {
    tell: (_ctx, { events }) => {
      for (const event of events) Atomics.add(counts, 1 + EVENT_NAMES.indexOf(event.name), BigInt(countRows(event)))
    },
  }
}

function countRows({ payload }: Event): number {
  if ('record_ids' in payload) return payload.record_ids.length
  return 'response_ids' in payload ? payload.response_ids.length : 1
}

/**
 * Wraps the database so that commits are counted. Transactions of a group share one commit, except in PostgreSQL, which does not
 * support groups.
 */
export function countCommits(db: Database, memory: SharedArrayBuffer): Database {
  const counts = new BigInt64Array(memory)
  const hasGroups = db.dialect.name === 'sqlite'
  let isInGroup = false
  const count = () => void (isInGroup || Atomics.add(counts, COMMITS, 1n))
  const group: Database['group'] = async stories => {
    isInGroup = true
    try {
      return await db.group(stories)
    } finally {
      isInGroup = false
    }
  }
  return {
    ...db,
    transaction: async story => {
      const result = await db.transaction(story)
      count()
      return result
    },
    group: async stories => {
      if (!hasGroups) return db.group(stories)
      const result = await group(stories)
      count()
      return result
    },
  }
}
