import * as api from '@postil/domain/api/transfers'
import { type Served, serve } from '../../http/serve.ts'
import { listMyTransfers } from './list.ts'

export const transferRoutes: Served[] = [serve(api.listMyTransfers, ctx => listMyTransfers(ctx))]
