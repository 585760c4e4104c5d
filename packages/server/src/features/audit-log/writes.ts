/**
 * Internal routes by which the main thread passes entries to the writer. They are not part of the API and cannot be called from
 * outside.
 */

import { route } from '@postil/domain/api/route'
import { AuditEntry } from '@postil/domain/audit-log'
import { List, Shape } from '@postil/domain/schema'

export const storeAuditEntries = route({
  id: 'storeAuditEntries',
  method: 'POST',
  path: '',
  tag: 'inner',
  auth: false,
  runs: 'writer',
  status: 204,
  summary: 'Store entries of the audit log that were collected',
  body: Shape({ entries: List(AuditEntry) }),
})
