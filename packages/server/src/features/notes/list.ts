import { parseIds } from '@postil/domain/ids'
import type { RecordNotes } from '@postil/domain/notes'
import { canReadRecord } from '@postil/domain/permissions'
import type { RequestContext } from '../../context.ts'
import { countComments, listFlaggedIds, listRecordWorkspaces } from './store.ts'

/** Lists notes on records in the order of the ids. Ids that are not readable records are skipped. */
export function listMyNotes(ctx: RequestContext, ids: string): Promise<{ items: RecordNotes[] }> {
  const wanted = parseIds(ids)
  return ctx.db.snapshot(async db => {
    const records = await listRecordWorkspaces(db, wanted)
    const readable = new Set(records.filter(record => canReadRecord(ctx.actor, record)).map(record => record.id))
    const recordIds = wanted.filter(id => readable.has(id))
    const flagged = await listFlaggedIds(db, recordIds, ctx.actor.id)
    const comments = await countComments(db, recordIds)
    return {
      items: recordIds.map(id => ({ record_id: id, flagged: flagged.has(id), comments: comments.get(id) ?? 0 })),
    }
  })
}
