import { FEED_IDS_MAX, FEED_LIMIT_DEFAULT, type FeedEntry, type FeedPage } from '@postil/domain/change-feed'
import { allow, FullReadNeeded } from '@postil/domain/errors'
import { canReadChangeFeed } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { WhenChanged } from '../../lib/answer.ts'
import { type Change, findFirstNumber, readChanges } from '../../storage/changes.ts'
import type { Queryable } from '../../storage/database.ts'
import { listRecordIds } from '../../storage/deleted-records.ts'
import { loadDataset } from '../datasets/store.ts'

interface FeedQuery {
  after?: number
  /** Time at which the entry `after` was written, if the caller sends it. */
  after_at?: string
  limit?: number
  /** Timeout of the long poll in seconds. */
  wait?: number
}

/** Entries per read; small, because an entry may have a thousand ids. */
const ENTRIES_PER_READ = 50

/** Lists the entries of a dataset's log after a number. If there are none yet, the response may wait for the next entry. */
export async function listDatasetEvents(
  ctx: RequestContext,
  datasetId: Id,
  { after = 0, after_at, limit = FEED_LIMIT_DEFAULT, wait = 0 }: FeedQuery,
): Promise<FeedPage | WhenChanged> {
  const page = await ctx.db.snapshot(async db => {
    const dataset = await loadDataset(db, datasetId)
    allow(canReadChangeFeed(ctx.actor, dataset))
    const { id, change_no: head } = dataset
    if (after > head) throw await aheadError(db, id, { after, head })
    if (after_at !== undefined) await checkSameLog(db, { id, head, after, after_at })
    const changes = await readEntries(db, { id, head, after, limit })
    return { items: await toEntries(db, changes), next: changes.at(-1)?.change_no ?? after, head }
  })
  return page.items.length === 0 && wait > 0 ? new WhenChanged(page, { datasetId, after, seconds: wait }) : page
}

interface EntriesQuery {
  id: Id
  head: number
  after: number
  limit: number
}

/** Stops at the limit, or after the entry that reaches the maximum of ids. */
async function readEntries(db: Queryable, { id, head, after, limit }: EntriesQuery): Promise<Change[]> {
  const changes: Change[] = []
  let ids = 0
  while (changes.length < limit) {
    const reached = changes.at(-1)?.change_no ?? after
    const read = await readChanges(db, id, reached, Math.min(ENTRIES_PER_READ, limit - changes.length))
    if (read.kind === 'rebuild') throw await prunedError(db, id, { after, head })
    if (read.changes.length === 0) break
    for (const change of read.changes) {
      changes.push(change)
      ids += countIds(change)
      if (ids >= FEED_IDS_MAX) return changes
    }
  }
  return changes
}

const countIds = ({ record_nos, details }: Change) =>
  record_nos.length +
  (details?.response_ids?.length ?? 0) +
  (details?.suggestion_ids?.length ?? 0) +
  (details?.comment_ids?.length ?? 0)

async function toEntries(db: Queryable, changes: readonly Change[]): Promise<FeedEntry[]> {
  const ids = await listRecordIds(db, [...new Set(changes.flatMap(({ record_nos }) => record_nos))])
  return changes.map(({ change_no, event, record_nos, details, actor_id, inserted_at }) => {
    const { record_ids: _deleted, ...extra } = details ?? {}
    const record_ids = record_nos.flatMap(no => ids.get(no) ?? [])
    return { change_no, event, record_ids, ...extra, actor_id, inserted_at }
  })
}

const FULL_READ = 'Read the whole dataset, and go on after entry'

interface Place {
  after: number
  head: number
}

async function prunedError(db: Queryable, id: Id, { after, head }: Place): Promise<FullReadNeeded> {
  const first = await findFirstNumber(db, id)
  const kept = first === null ? 'None are kept.' : `The oldest entry that is kept is ${first}.`
  const message = `Entries after ${after} were deleted, because they are older than the server keeps them. ${kept} ${FULL_READ} ${head}.`
  return new FullReadNeeded('changes_pruned', message, { first, head })
}

async function aheadError(db: Queryable, id: Id, { after, head }: Place): Promise<FullReadNeeded> {
  const message = `The log ends at entry ${head}, before ${after}: the server was restored from a backup, or \`after\` was not taken from this dataset. ${FULL_READ} ${head}.`
  return new FullReadNeeded('changes_restored', message, { first: await findFirstNumber(db, id), head })
}

/**
 * Change numbers are reused after a restore from a backup. The log then has a different entry at the number that the caller has
 * read.
 */
async function checkSameLog(db: Queryable, { id, after, after_at, head }: Place & { id: Id; after_at: string }): Promise<void> {
  const read = await readChanges(db, id, after - 1, 1)
  const [entry] = read.kind === 'changes' ? read.changes : []
  // A pruned entry cannot be compared.
  if (!entry || entry.inserted_at === after_at) return
  const message = `Entry ${after} was written at ${entry.inserted_at}, not at ${after_at}: the server was restored from a backup. ${FULL_READ} ${head}.`
  throw new FullReadNeeded('changes_restored', message, { first: await findFirstNumber(db, id), head })
}
