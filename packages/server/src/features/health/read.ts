import type * as api from '@postil/domain/api/health'
import type { RouteAnswer } from '@postil/domain/api/route'
import type { Context } from '../../context.ts'
import { WithStatus } from '../../lib/answer.ts'

export const getLiveness = (): RouteAnswer<typeof api.getLiveness> => ({ status: 'live' })

/** Status 503 makes a load balancer remove this process until the next check. */
export async function getReadiness({ readiness }: Pick<Context, 'readiness'>): Promise<WithStatus> {
  const report = await readiness.read()
  return new WithStatus(report.status === 'unready' ? 503 : 200, report)
}
