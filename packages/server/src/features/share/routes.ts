import * as api from '@postil/domain/api/share'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { noteShared, shareMyProgress } from './create.ts'
import { showCard } from './show.ts'
import * as writes from './writes.ts'

export const shareRoutes: Served[] = [
  serve(api.shareMyProgress, (ctx, { params }) => shareMyProgress(ctx, params.dataset_id)),
  serve(writes.noteShared, (ctx, { body }) => noteShared(ctx, body)),
  serveOpen(api.getShareCard, async (ctx, { query }) => showCard(ctx, query.card)),
]
