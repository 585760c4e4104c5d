import * as auditLog from '@postil/domain/api/audit-log'
import * as bulkJobs from '@postil/domain/api/bulk-jobs'
import * as changeFeed from '@postil/domain/api/change-feed'
import * as datasetChanges from '@postil/domain/api/dataset-changes'
import * as datasetSettings from '@postil/domain/api/dataset-settings'
import * as datasets from '@postil/domain/api/datasets'
import * as exports from '@postil/domain/api/exports'
import * as files from '@postil/domain/api/files'
import * as health from '@postil/domain/api/health'
import * as hub from '@postil/domain/api/hub'
import * as imports from '@postil/domain/api/imports'
import * as info from '@postil/domain/api/info'
import * as invitations from '@postil/domain/api/invitations'
import * as jobs from '@postil/domain/api/jobs'
import * as notes from '@postil/domain/api/notes'
import * as oauth2 from '@postil/domain/api/oauth2'
import * as overview from '@postil/domain/api/overview'
import * as records from '@postil/domain/api/records'
import * as responses from '@postil/domain/api/responses'
import type { Route } from '@postil/domain/api/route'
import * as session from '@postil/domain/api/session'
import * as share from '@postil/domain/api/share'
import * as suggestions from '@postil/domain/api/suggestions'
import * as transfers from '@postil/domain/api/transfers'
import * as users from '@postil/domain/api/users'
import * as webhooks from '@postil/domain/api/webhooks'
import * as workspaces from '@postil/domain/api/workspaces'

/** All exports of the contract modules: contracts by id, and arrays of contracts, which do not become methods. */
const EXPORTS = {
  ...users,
  ...workspaces,
  ...invitations,
  ...datasets,
  ...changeFeed,
  ...overview,
  ...transfers,
  ...datasetSettings,
  ...datasetChanges,
  ...records,
  ...responses,
  ...bulkJobs,
  ...session,
  ...suggestions,
  ...notes,
  ...share,
  ...webhooks,
  ...files,
  ...exports,
  ...hub,
  ...imports,
  ...info,
  ...health,
  ...auditLog,
  ...jobs,
  ...oauth2,
}

export type Contracts = { [Id in keyof typeof EXPORTS as (typeof EXPORTS)[Id] extends Route ? Id : never]: (typeof EXPORTS)[Id] }

export const listContracts = (): Route[] =>
  Object.values<Route | Route[]>(EXPORTS).flatMap(value => (Array.isArray(value) ? [] : [value]))
