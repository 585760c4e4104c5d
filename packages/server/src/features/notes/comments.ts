import { allow, invalid } from '@postil/domain/errors'
import { COMMENTS_MAX, type RecordComment, type RecordCommentCreate } from '@postil/domain/notes'
import { canCommentRecord, canDeleteComment } from '@postil/domain/permissions'
import type { Id } from '@postil/domain/schema'
import type { RequestContext } from '../../context.ts'
import { logChange } from '../../events/emit.ts'
import type { Queryable } from '../../storage/database.ts'
import { type Tx, write } from '../../storage/write.ts'
import { audit } from '../audit-log/add.ts'
import { loadDatasetOf } from '../datasets/store.ts'
import { loadRecord, type RecordRow } from '../records/store.ts'
import { countComments, insertComment, listComments, loadComment, deleteComment as removeComment } from './store.ts'

export async function listRecordComments(ctx: RequestContext, recordId: Id): Promise<{ items: RecordComment[] }> {
  await loadCommentable(ctx, ctx.db, recordId)
  return { items: await listComments(ctx.db, recordId, COMMENTS_MAX) }
}

export function createRecordComment(ctx: RequestContext, recordId: Id, { body }: RecordCommentCreate): Promise<RecordComment> {
  return write(ctx, async tx => {
    const record = await loadCommentable(ctx, tx, recordId)
    const total = (await countComments(tx, [recordId])).get(recordId) ?? 0
    if (total >= COMMENTS_MAX) throw invalid(`A record takes at most ${COMMENTS_MAX} comments. Delete one first.`)

    const { id: user_id, username } = ctx.actor
    const comment = { id: ctx.newId(), record_id: recordId, user_id, username, body, inserted_at: ctx.now() }
    await insertComment(tx, comment)
    announceComment(tx, record, { comment_id: comment.id, deleted: false })
    return comment
  })
}

/** Allowed for the author, even after losing membership, and for admins of the workspace. */
export function deleteRecordComment(ctx: RequestContext, commentId: Id): Promise<RecordComment> {
  return write(ctx, async tx => {
    const comment = await loadComment(tx, commentId)
    const record = await loadRecord(tx, comment.record_id)
    const dataset = await loadDatasetOf(tx, record)
    allow(canDeleteComment(ctx.actor, dataset, comment))

    await removeComment(tx, comment.id)
    announceComment(tx, record, { comment_id: comment.id, deleted: true })
    if (comment.user_id !== ctx.actor.id) {
      const details = { user_id: comment.user_id, record_id: record.id, dataset: { id: dataset.id, name: dataset.name } }
      await audit(tx, ctx, {
        action: 'comment.deleted',
        target: { id: comment.id, name: null },
        workspaceId: dataset.workspace_id,
        details,
      })
    }
    return comment
  })
}

function announceComment(tx: Tx, record: RecordRow, told: { comment_id: Id; deleted: boolean }): void {
  const name = told.deleted ? 'comment.deleted' : 'comment.created'
  const details = { comment_ids: [told.comment_id] }
  logChange(tx, { name, dataset_id: record.dataset_id, recordNos: [record.no], details })
}

async function loadCommentable(ctx: RequestContext, db: Queryable, recordId: Id) {
  const record = await loadRecord(db, recordId)
  allow(canCommentRecord(ctx.actor, await loadDatasetOf(db, record)))
  return record
}
