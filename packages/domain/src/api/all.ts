/** All route contracts: the server mounts them, the client calls them and OpenAPI lists them. */
import { auditLogRoutes } from './audit-log.ts'
import { bulkJobRoutes } from './bulk-jobs.ts'
import { changeFeedRoutes } from './change-feed.ts'
import { datasetChangesRoutes } from './dataset-changes.ts'
import { datasetSettingsRoutes } from './dataset-settings.ts'
import { datasetRoutes } from './datasets.ts'
import { eventRoutes } from './events.ts'
import { exportRoutes } from './exports.ts'
import { fileRoutes } from './files.ts'
import { healthRoutes } from './health.ts'
import { hubRoutes } from './hub.ts'
import { importRoutes } from './imports.ts'
import { infoRoutes } from './info.ts'
import { invitationRoutes } from './invitations.ts'
import { jobRoutes } from './jobs.ts'
import { noteRoutes } from './notes.ts'
import { oauth2Routes } from './oauth2.ts'
import { overviewRoutes } from './overview.ts'
import { recordRoutes } from './records.ts'
import { responseRoutes } from './responses.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'
import { shareRoutes } from './share.ts'
import { suggestionRoutes } from './suggestions.ts'
import { transferRoutes } from './transfers.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'
import { workspaceRoutes } from './workspaces.ts'

export const CONTRACTS: Route[] = [
  ...userRoutes,
  ...sessionRoutes,
  ...workspaceRoutes,
  ...invitationRoutes,
  ...datasetRoutes,
  ...eventRoutes,
  ...changeFeedRoutes,
  ...overviewRoutes,
  ...transferRoutes,
  ...datasetSettingsRoutes,
  ...datasetChangesRoutes,
  ...recordRoutes,
  ...responseRoutes,
  ...bulkJobRoutes,
  ...suggestionRoutes,
  ...noteRoutes,
  ...shareRoutes,
  ...webhookRoutes,
  ...infoRoutes,
  ...healthRoutes,
  ...auditLogRoutes,
  ...jobRoutes,
  ...hubRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...importRoutes,
  ...oauth2Routes,
]
