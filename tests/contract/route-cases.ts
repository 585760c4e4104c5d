/**
 * For every contract, a request that succeeds, and its expected errors. `routes.test.ts` sends it with and without credentials,
 * without permission, malformed and for ids that do not exist; `permissions.test.ts` sends it as every caller.
 */
import type { RouteCases } from './route-case.ts'
import { auditLogCases } from './route-cases-audit-log.ts'
import { bulkJobCases } from './route-cases-bulk-jobs.ts'
import { datasetChangesCases } from './route-cases-dataset-changes.ts'
import { datasetCases } from './route-cases-datasets.ts'
import { exportCases } from './route-cases-exports.ts'
import { fileCases } from './route-cases-files.ts'
import { hubCases } from './route-cases-hub.ts'
import { importCases } from './route-cases-imports.ts'
import { invitationCases } from './route-cases-invitations.ts'
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
  ...invitationCases,
  ...datasetCases,
  ...settingsCases,
  ...datasetChangesCases,
  ...recordCases,
  ...bulkJobCases,
  ...noteCases,
  ...shareCases,
  ...auditLogCases,
  ...jobCases,
  ...hubCases,
  ...fileCases,
  ...importCases,
  ...exportCases,
  ...webhookCases,
  ...oauth2Cases,
}
