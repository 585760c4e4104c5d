import type { Context } from '../../context.ts'
import type { Sample } from '../../metrics/samples.ts'
import { countConnections, countJobs, countWaitingDeliveries, countWebhooks } from './store.ts'

const JOB_STATUSES = ['queued', 'started', 'failed'] as const

interface Shared {
  db: Context['db']
  search: Pick<Context['search'], 'info'>
  config: Pick<Context['config'], 'searchEngine'>
}

export async function listSharedSamples({ db, search, config }: Shared): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const status of JOB_STATUSES) {
    samples.push({ name: 'postil_jobs', labels: [['status', status]], value: await countJobs(db, status) })
  }
  for (const [state, value] of Object.entries(await countWebhooks(db))) {
    samples.push({ name: 'postil_webhooks', labels: [['state', state]], value })
  }
  samples.push({ name: 'postil_webhook_deliveries_waiting', labels: [], value: await countWaitingDeliveries(db) })
  for (const { thread, state, connections } of await countConnections(db)) {
    const labels = [['thread', thread] as const, ['state', state] as const]
    samples.push({ name: 'postil_database_connections', labels, value: connections })
  }
  const lag = toLag(await search.info())
  samples.push({ name: 'postil_search_lag_changes', labels: [['engine', config.searchEngine]], value: lag })
  return samples
}

/** The lag of the dataset that is furthest behind; an index that follows the log with each search has none. */
function toLag({ lag }: Record<string, unknown>): number {
  const numbers = typeof lag === 'object' && lag !== null ? Object.values(lag) : [lag]
  return Math.max(0, ...numbers.filter(value => typeof value === 'number'))
}
