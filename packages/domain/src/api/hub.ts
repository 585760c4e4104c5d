import { HubDataset, HubExport, HubImport, HubQuery } from '../hub.ts'
import { Job } from '../jobs.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

const tag = 'hub'

export const importFromHub = route({
  id: 'importFromHub',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/import',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Import records from a dataset on the hub, by a job',
  params: DatasetParams,
  body: HubImport,
  response: Job,
})

export const exportToHub = route({
  id: 'exportToHub',
  method: 'POST',
  path: '/api/v1/datasets/:dataset_id/export',
  tag,
  status: 202,
  runs: 'writer',
  summary: 'Export a dataset with its records to the hub, by a job',
  params: DatasetParams,
  body: HubExport,
  response: Job,
})

export const getHubDataset = route({
  id: 'getHubDataset',
  method: 'GET',
  path: '/api/v1/hub/datasets',
  tag,
  status: 200,
  runs: 'apart',
  summary: 'Look into a dataset on the hub: subsets, splits, columns and the first rows. For owners and admins',
  query: HubQuery,
  response: HubDataset,
})

export const hubRoutes = [importFromHub, exportToHub, getHubDataset]
