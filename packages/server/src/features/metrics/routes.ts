import { type Served, serveOpen } from '../../http/serve.ts'
import { readSharedSamples } from './read-shared.ts'
import { listSharedSamples } from './shared-samples.ts'

export const metricsRoutes: Served[] = [serveOpen(readSharedSamples, async ctx => listSharedSamples(ctx))]
