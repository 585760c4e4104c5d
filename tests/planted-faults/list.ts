/** All planted faults. Each describes one thing that tests must protect; which test does is found by `npm run faults`. */
import { datasetGroups } from './datasets.ts'
import { deletedUserGroups } from './deleted-users.ts'
import type { FaultGroup } from './fault.ts'
import { foundationGroups } from './foundation.ts'
import { progressGroups } from './progress.ts'
import { questionGroups } from './questions.ts'
import { sessionGroups } from './sessions.ts'
import { settingsGroups } from './settings.ts'
import { userGroups } from './users.ts'
import { workspaceGroups } from './workspaces.ts'

export const FAULT_GROUPS: FaultGroup[] = [
  ...userGroups,
  ...deletedUserGroups,
  ...workspaceGroups,
  ...sessionGroups,
  ...datasetGroups,
  ...progressGroups,
  ...settingsGroups,
  ...questionGroups,
  ...foundationGroups,
]
