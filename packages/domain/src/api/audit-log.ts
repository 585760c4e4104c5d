import { AuditEntry } from '../audit-log.ts'
import { Id, Int, List, Nullable, Optional, Shape, Text } from '../schema.ts'
import { route } from './route.ts'

export const listAuditLog = route({
  id: 'listAuditLog',
  method: 'GET',
  path: '/api/v1/audit-log',
  tag: 'audit log',
  status: 200,
  runs: 'reader',
  summary: 'The audit log, newest first',
  query: Shape({
    action: Optional(List(Text())),
    actor_id: Optional(Id),
    target_type: Optional(Text()),
    target_id: Optional(Text()),
    since: Optional(Text()),
    until: Optional(Text()),
    limit: Optional(Int()),
    before: Optional(Text()),
  }),
  response: Shape({ items: List(AuditEntry), next: Nullable(Text()) }),
})

export const auditLogRoutes = [listAuditLog]
