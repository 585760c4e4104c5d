import * as api from '@postil/domain/api/notes'
import { type Served, serve } from '../../http/serve.ts'
import { createRecordComment, deleteRecordComment, listRecordComments } from './comments.ts'
import { flagRecord, listMyFlags, unflagRecord } from './flags.ts'
import { listMyNotes } from './list.ts'

export const noteRoutes: Served[] = [
  serve(api.flagRecord, (ctx, { params }) => flagRecord(ctx, params.record_id)),
  serve(api.unflagRecord, (ctx, { params }) => unflagRecord(ctx, params.record_id)),
  serve(api.listMyFlags, (ctx, { params }) => listMyFlags(ctx, params.dataset_id)),
  serve(api.listMyNotes, (ctx, { query }) => listMyNotes(ctx, query.ids)),
  serve(api.listRecordComments, (ctx, { params }) => listRecordComments(ctx, params.record_id)),
  serve(api.createRecordComment, (ctx, { params, body }) => createRecordComment(ctx, params.record_id, body)),
  serve(api.deleteRecordComment, (ctx, { params }) => deleteRecordComment(ctx, params.comment_id)),
]
