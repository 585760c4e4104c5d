/** Every contract: what the server mounts, the client calls and OpenAPI lists. */
import { auditLogRoutes } from './audit-log.ts'
import { bulkJobRoutes } from './bulk-jobs.ts'
import { changeFeedRoutes } from './change-feed.ts'
import { datasetSettingsRoutes } from './dataset-settings.ts'
import { datasetRoutes } from './datasets.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { infoRoutes } from './info.ts'
import { jobRoutes } from './jobs.ts'
import { noteRoutes } from './notes.ts'
import { oauth2Routes } from './oauth2.ts'
import { recordRoutes } from './records.ts'
import { responseRoutes } from './responses.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './session.ts'
import { shareRoutes } from './share.ts'
import { suggestionRoutes } from './suggestions.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'
import { workspaceRoutes } from './workspaces.ts'

export const CONTRACTS: Route[] = [
  ...userRoutes,
  ...sessionRoutes,
  ...workspaceRoutes,
  ...datasetRoutes,
  ...eventRoutes,
  ...changeFeedRoutes,
  ...datasetSettingsRoutes,
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
  ...oauth2Routes,
]
