/**
 * All legacy contracts. They are not part of the API contracts, so that the API client and the OpenAPI description do not include
 * them.
 */
import { legacyDatasetContracts } from './api-datasets.ts'
import { legacyRecordContracts } from './api-records.ts'
import { legacySettingsContracts } from './api-settings.ts'
import { legacyUserContracts } from './api-users.ts'
import type { LegacyRoute } from './route.ts'

export const LEGACY_CONTRACTS: LegacyRoute[] = [
  ...legacyUserContracts,
  ...legacyDatasetContracts,
  ...legacyRecordContracts,
  ...legacySettingsContracts,
]
