import type { Context } from '../../context.ts'
import type { Sample } from '../../metrics/samples.ts'
import { countConnections, countJobs, countWaitingDeliveries, countWebhooks } from './store.ts'

const JOB_STATUSES = ['queued', 'started', 'failed'] as const

interface SharedContext {
  db: Context['db']
  search: Pick<Context['search'], 'info'>
  config: Pick<Context['config'], 'searchEngine'>
}

export async function listSharedSamples({ db, search, config }: SharedContext): Promise<Sample[]> {
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
  return [...samples, ...toSearchSamples(config.searchEngine, await search.info())]
}

/** An unavailable engine reports no lag. An index that catches up on each search has no lag. */
function toSearchSamples(engine: string, info: Record<string, unknown>): Sample[] {
  const isAvailable = info.status !== 'unavailable'
  const labels = [['engine', engine] as const]
  const available: Sample = { name: 'postil_search_available', labels, value: isAvailable ? 1 : 0 }
  if (!isAvailable) return [available]
  return [
    available,
    { name: 'postil_search_lag_changes', labels, value: Number(info.changes_behind_max ?? 0) },
    { name: 'postil_search_refused_records', labels, value: Number(info.records_refused ?? 0) },
  ]
}
