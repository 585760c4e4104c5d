import { Transfers } from '../transfers.ts'
import { route } from './route.ts'

export const listMyTransfers = route({
  id: 'listMyTransfers',
  method: 'GET',
  path: '/api/v1/me/transfers',
  tag: 'datasets',
  status: 200,
  runs: 'reader',
  summary: 'Imports and exports that wait or run, in datasets that the caller leads; newest first',
  response: Transfers,
})

export const transferRoutes = [listMyTransfers]
