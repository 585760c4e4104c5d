import { OneOf, Shape } from '../schema.ts'
import { route } from './route.ts'

const tag = 'server'

export const getLiveness = route({
  id: 'getLiveness',
  method: 'GET',
  path: '/api/v1/health/live',
  tag,
  status: 200,
  auth: false,
  runs: 'here',
  summary: 'Whether the process answers; asks nothing else',
  response: Shape({ status: OneOf(['live']) }),
})

/** The checks and the possible values of their results. */
const CHECKS = {
  process: OneOf(['ok', 'stopping']),
  threads: OneOf(['ok', 'ended']),
  database: OneOf(['ok', 'failing', 'timeout']),
  schema: OneOf(['ok', 'newer', 'older', 'unknown']),
  search_engine: OneOf(['ok', 'failing', 'timeout']),
}

export const getReadiness = route({
  id: 'getReadiness',
  method: 'GET',
  path: '/api/v1/health/ready',
  tag,
  status: 200,
  otherStatuses: [503],
  auth: false,
  runs: 'here',
  summary: 'Whether requests should be sent to this process; 503 if not. `degraded`: everything but searches works',
  response: Shape({ status: OneOf(['ready', 'degraded', 'unready']), checks: Shape(CHECKS) }),
})

export const healthRoutes = [getLiveness, getReadiness]
