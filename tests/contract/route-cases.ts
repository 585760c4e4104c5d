/**
 * For every contract a request that succeeds, and what must go wrong with it. `routes.test.ts` sends it with and without
 * credentials, by people who may not, malformed and for things that do not exist; `permissions.test.ts` by everybody.
 */
import type { RouteCases } from './route-case.ts'
import { auditLogCases } from './route-cases-audit-log.ts'
import { bulkJobCases } from './route-cases-bulk-jobs.ts'
import { datasetCases } from './route-cases-datasets.ts'
import { jobCases } from './route-cases-jobs.ts'
import { noteCases } from './route-cases-notes.ts'
import { oauth2Cases } from './route-cases-oauth2.ts'
import { recordCases } from './route-cases-records.ts'
import { settingsCases } from './route-cases-settings.ts'
import { shareCases } from './route-cases-share.ts'
import { userCases } from './route-cases-users.ts'
import { webhookCases } from './route-cases-webhooks.ts'

export const CASES: Record<string, RouteCases> = {
  ...userCases,
  ...datasetCases,
  ...settingsCases,
  ...recordCases,
  ...bulkJobCases,
  ...noteCases,
  ...shareCases,
  ...auditLogCases,
  ...jobCases,
  ...webhookCases,
  ...oauth2Cases,
}
