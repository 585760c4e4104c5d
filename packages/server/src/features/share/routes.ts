import * as api from '@postil/domain/api/share'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { shareMyProgress } from './create.ts'
import { showCard } from './show.ts'

export const shareRoutes: Served[] = [
  serve(api.shareMyProgress, (ctx, { params }) => shareMyProgress(ctx, params.dataset_id)),
  serveOpen(api.getShareCard, async (ctx, { query }) => showCard(ctx, query.card)),
]
