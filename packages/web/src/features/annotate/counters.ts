/** My queues and the team's progress: counted here as things happen, put right by the server's events or every half minute. */
import type { DatasetRecord } from '@postil/domain/records'
import type { ResponseStatus } from '@postil/domain/responses'
import { reactive, shallowRef } from 'vue'
import type { DatasetBundle } from '../../datasets/dataset-bundle.ts'
import { keepPace, type Pace, readPace, withSubmit } from '../../datasets/pace.ts'
import type { Session } from '../../session/session.ts'
import type { Queue } from './find/criteria.ts'

export interface Counters {
  mine: Record<Queue, number>
  team: { total: number; completed: number }
}

type Given = Pick<DatasetBundle, 'metrics' | 'progress'>

export function openCounters({ api, items }: Session, bundle: DatasetBundle) {
  const state = reactive<Counters>(read(bundle))
  const pace = shallowRef<Pace>(readPace(items, bundle.dataset.id))

  /**
   * My response to one record went from one status to another; null stands for none. A record that the team has completed is in
   * nobody's pending queue, whether or not I answered it; but without my submitted answer it is open again.
   */
  function count(from: ResponseStatus | null, to: ResponseStatus | null, record: Pick<DatasetRecord, 'status'>): void {
    if (from === to) return
    const isOpen = record.status === 'pending' || from === 'submitted'
    if (from !== null || isOpen) state.mine[from ?? 'pending'] = Math.max(0, state.mine[from ?? 'pending'] - 1)
    if (to !== null || isOpen) state.mine[to ?? 'pending']++
    if (to !== 'submitted') return
    pace.value = withSubmit(pace.value, Date.now())
    keepPace(items, bundle.dataset.id, pace.value)
  }

  async function refresh(): Promise<void> {
    const params = { dataset_id: bundle.dataset.id }
    const { metrics, progress } = await api.getDataset({ params, query: { include: ['metrics', 'progress'] } })
    if (!metrics || !progress) throw new Error('The server did not send the counts it was asked for')
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

/** Pending is what my queue holds: `responses.pending` counts what others completed, too. */
function read({ metrics: { responses, pending_for_me }, progress }: Given): Counters {
  const { draft, discarded, submitted } = responses
  const mine = { pending: pending_for_me, draft, discarded, submitted }
  return { mine, team: { total: progress.total, completed: progress.completed } }
}
