import * as api from '@postil/domain/api/info'
import { type Served, serveOpen } from '../../http/serve.ts'
import { getSettings, getStatus, getVersion } from './read.ts'

export const infoRoutes: Served[] = [
  serveOpen(api.getVersion, async () => getVersion()),
  serveOpen(api.getStatus, ctx => getStatus(ctx)),
  serveOpen(api.getSettings, async ctx => getSettings(ctx)),
]
