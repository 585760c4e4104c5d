import { Overview, OverviewQuery, OverviewRecords, OverviewRecordsQuery } from '../overview.ts'
import { DatasetParams } from './params.ts'
import { route } from './route.ts'

export const getDatasetOverview = route({
  id: 'getDatasetOverview',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/overview',
  tag: 'datasets',
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Progress, people, answers and suggestions of a dataset in numbers',
  params: DatasetParams,
  query: OverviewQuery,
  response: Overview,
})

export const listOverviewRecords = route({
  id: 'listOverviewRecords',
  method: 'GET',
  path: '/api/v1/datasets/:dataset_id/overview/records',
  tag: 'datasets',
  status: 200,
  runs: 'reader',
  searches: true,
  affinity: 'dataset_id',
  summary: 'Records behind a number of the overview',
  params: DatasetParams,
  query: OverviewRecordsQuery,
  response: OverviewRecords,
})

export const overviewRoutes = [getDatasetOverview, listOverviewRecords]
