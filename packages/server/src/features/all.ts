/** All routes of the server, each bound to its use case. */

import type { Served } from '../http/serve.ts'
import { legacyRoutes } from '../legacy/routes.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { bulkJobRoutes } from './bulk-jobs/routes.ts'
import { changeFeedRoutes } from './change-feed/routes.ts'
import { datasetRoutes } from './datasets/routes.ts'
import { exportRoutes } from './exports/routes.ts'
import { fieldRoutes } from './fields/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { hubRoutes } from './hub/routes.ts'
import { importRoutes } from './imports/routes.ts'
import { infoRoutes } from './info/routes.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { metadataPropertyRoutes } from './metadata-properties/routes.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { oauth2Routes } from './oauth2/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { questionRoutes } from './questions/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { responseRoutes } from './responses/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { shareRoutes } from './share/routes.ts'
import { suggestionRoutes } from './suggestions/routes.ts'
import { tokenRoutes } from './token/routes.ts'
import { transferRoutes } from './transfers/routes.ts'
import { userRoutes } from './users/routes.ts'
import { vectorsSettingsRoutes } from './vectors-settings/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { workspaceRoutes } from './workspaces/routes.ts'

export const ROUTES: Served[] = [
  ...tokenRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...workspaceRoutes,
  ...invitationRoutes,
  ...datasetRoutes,
  ...changeFeedRoutes,
  ...overviewRoutes,
  ...transferRoutes,
  ...fieldRoutes,
  ...questionRoutes,
  ...metadataPropertyRoutes,
  ...vectorsSettingsRoutes,
  ...recordRoutes,
  ...responseRoutes,
  ...bulkJobRoutes,
  ...suggestionRoutes,
  ...noteRoutes,
  ...shareRoutes,
  ...webhookRoutes,
  ...infoRoutes,
  ...healthRoutes,
  ...metricsRoutes,
  ...jobRoutes,
  ...hubRoutes,
  ...fileRoutes,
  ...importRoutes,
  ...exportRoutes,
  ...auditLogRoutes,
  ...oauth2Routes,
  ...legacyRoutes,
]
