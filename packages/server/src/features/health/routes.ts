import * as api from '@postil/domain/api/health'
import { type Served, serveOpen } from '../../http/serve.ts'
import { getLiveness, getReadiness } from './read.ts'

export const healthRoutes: Served[] = [
  serveOpen(api.getLiveness, async () => getLiveness()),
  serveOpen(api.getReadiness, ctx => getReadiness(ctx)),
]
