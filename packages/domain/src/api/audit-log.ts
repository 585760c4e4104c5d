import { AuditLogQuery, AuditPage } from '../audit-log.ts'
import { route } from './route.ts'

export const listAuditLog = route({
  id: 'listAuditLog',
  method: 'GET',
  path: '/api/v1/audit-log',
  tag: 'audit log',
  status: 200,
  runs: 'reader',
  summary: 'Entries of the audit log, newest first: by action (several can be given), actor, target and time',
  query: AuditLogQuery,
  response: AuditPage,
})

export const auditLogRoutes = [listAuditLog]
