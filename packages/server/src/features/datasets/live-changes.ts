/** Translates change log entries into notices for clients that have the dataset open. */
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import type { Notice } from '../../events/emit.ts'
import { type Change, findHeadNumber, readChanges } from '../../storage/changes.ts'
import { listRecordIds } from '../../storage/deleted-records.ts'
import type { LiveChanges } from './live-read.ts'

/** Entries per read. */
const ENTRIES_MAX = 500

/** If one read names more records, clients are told to reload instead. */
const NAMED_MAX = 200

/**
 * Returns the notices for the entries after a number, and the number reached. The log outlives its dataset, so the deletion is
 * reported too.
 */
export function listLiveChanges(ctx: Pick<Context, 'db'>, datasetId: Id, after: number): Promise<LiveChanges> {
  const toAll = { dataset_id: datasetId, user_id: null }
  return ctx.db.snapshot(async db => {
    const read = await readChanges(db, datasetId, after, ENTRIES_MAX)
    if (read.kind === 'rebuild') {
      return { notices: [{ ...toAll, name: 'many-changes', data: {} }], next: (await findHeadNumber(db, datasetId)) ?? after }
    }
    const named = read.changes.filter(({ event }) => NAMING.has(event))
    const nos = named.flatMap(({ record_nos }) => record_nos)
    const isFlood = nos.length > NAMED_MAX
    const ids = isFlood ? new Map<number, Id>() : await listRecordIds(db, nos)
    const notices = read.changes.flatMap(change => toNotices(datasetId, change, ids))
    if (isFlood) notices.push({ ...toAll, name: 'many-changes', data: {} })
    return { notices, next: read.changes.at(-1)?.change_no ?? after }
  })
}

/** Events whose notices contain record ids. */
const NAMING: ReadonlySet<Change['event']> = new Set(['record.completed', 'comment.created', 'comment.deleted'])

/** `ids` maps record numbers to ids. Records that are missing there get no notice. */
function toNotices(dataset_id: Id, { event, record_nos, details }: Change, ids: ReadonlyMap<number, Id>): Notice[] {
  const toAll = { dataset_id, user_id: null }
  const recordIds = record_nos.flatMap(no => ids.get(no) ?? [])
  switch (event) {
    case 'record.completed':
      return recordIds.map(record_id => ({ ...toAll, name: 'record-completed', data: { record_id } }))
    case 'comment.created':
    case 'comment.deleted':
      // An entry concerns exactly one comment.
      return (details?.comment_ids ?? []).flatMap(comment_id =>
        recordIds.map(record_id => ({
          ...toAll,
          name: 'comment',
          data: { record_id, comment_id, deleted: event === 'comment.deleted' },
        })),
      )
    case 'dataset.updated':
    case 'dataset.published':
      return [{ ...toAll, name: 'settings-changed', data: { what: 'dataset' } }]
    case 'settings.updated':
      return details?.settings ? [{ ...toAll, name: 'settings-changed', data: { what: details.settings } }] : []
    case 'dataset.deleted':
      return [{ ...toAll, name: 'dataset-deleted', data: {} }]
    default:
      return []
  }
}
