/** Every contract: what the server mounts, the client calls and OpenAPI lists. */
import { datasetSettingsRoutes } from './dataset-settings.ts'
import { datasetRoutes } from './datasets.ts'
import { infoRoutes } from './info.ts'
import { recordRoutes } from './records.ts'
import { responseRoutes } from './responses.ts'
import type { Route } from './route.ts'
import { suggestionRoutes } from './suggestions.ts'
import { userRoutes } from './users.ts'
import { workspaceRoutes } from './workspaces.ts'

export const CONTRACTS: Route[] = [
  ...userRoutes,
  ...workspaceRoutes,
  ...datasetRoutes,
  ...datasetSettingsRoutes,
  ...recordRoutes,
  ...responseRoutes,
  ...suggestionRoutes,
  ...infoRoutes,
]
