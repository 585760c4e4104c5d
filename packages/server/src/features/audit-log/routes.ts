import * as api from '@postil/domain/api/audit-log'
import { type Served, serve, serveOpen } from '../../http/serve.ts'
import { addCollectedEntries } from './add.ts'
import { listAuditLog } from './list.ts'
import * as writes from './writes.ts'

export const auditLogRoutes: Served[] = [
  serve(api.listAuditLog, (ctx, { query }) => listAuditLog(ctx, query)),
  serveOpen(writes.storeAuditEntries, async (ctx, { body }) => void (await addCollectedEntries(ctx, body.entries))),
]
