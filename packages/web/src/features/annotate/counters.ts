/** My queues and the team's progress: counted here as things happen, put right by the server's events or every half minute. */
import type { ResponseStatus } from '@postil/domain/responses'
import { reactive, shallowRef } from 'vue'
import { api } from '../../api.ts'
import type { DatasetBundle } from './dataset-bundle.ts'
import type { Queue } from './find/criteria.ts'
import { keepPace, type Pace, readPace, withSubmit } from './pace.ts'

export interface Counters {
  mine: Record<Queue, number>
  team: { total: number; completed: number }
}

type Given = Pick<DatasetBundle, 'metrics' | 'progress'>

export function openCounters(bundle: DatasetBundle, userId: string) {
  const state = reactive<Counters>(read(bundle))
  const pace = shallowRef<Pace>(readPace(bundle.dataset.id, userId))

  /** My response to one record went from one status to another; null stands for pending. */
  function count(from: ResponseStatus | null, to: ResponseStatus | null, many = 1): void {
    if (from === to) return
    state.mine[from ?? 'pending'] = Math.max(0, state.mine[from ?? 'pending'] - many)
    state.mine[to ?? 'pending'] += many
    if (to !== 'submitted') return
    pace.value = withSubmit(pace.value, Date.now())
    keepPace(bundle.dataset.id, userId, pace.value)
  }

  async function refresh(): Promise<void> {
    const params = { dataset_id: bundle.dataset.id }
    const [metrics, progress] = await Promise.all([api.getMyDatasetMetrics({ params }), api.getDatasetProgress({ params })])
    Object.assign(state, read({ metrics, progress }))
  }

  return {
    datasetId: bundle.dataset.id,
    state,
    pace,
    count,
    refresh,
    set: (given: Given) => Object.assign(state, read(given)),
  }
}

export type CounterBoard = ReturnType<typeof openCounters>

function read({ metrics: { responses }, progress }: Given): Counters {
  const { pending, draft, discarded, submitted } = responses
  return { mine: { pending, draft, discarded, submitted }, team: { total: progress.total, completed: progress.completed } }
}
