/**
 * Counters of the user's queues and the team's progress. Updated locally on each action, and corrected by events from the server
 * or every 30 seconds.
 */
import type { DatasetRecord } from '@postil/domain/records'
import { reactive } from 'vue'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import type { TimedStatus } from '../../../datasets/pace.ts'
import type { Session } from '../../../session/session.ts'
import type { Queue } from '../find/query/criteria.ts'
import type { MyPace } from './my-pace.ts'

export interface Counters {
  mine: Record<Queue, number>
  team: { total: number; completed: number }
}

type Given = Pick<DatasetBundle, 'metrics' | 'progress'>

export function openCounters({ api }: Pick<Session, 'api'>, bundle: DatasetBundle, pace: MyPace) {
  const state = reactive<Counters>(read(bundle))

  /**
   * Updates the counters when the user's response to a record changes its status; null means no response. A record that the team
   * has completed is not in the pending queue, whether or not the user answered it. If the user's submitted answer is removed, it
   * is pending again.
   */
  function count(before: TimedStatus, after: TimedStatus, record: Pick<DatasetRecord, 'status'>): void {
    pace.change(before, after)
    const [from, to] = [before?.status ?? null, after?.status ?? null]
    if (from === to) return
    const isOpen = record.status === 'pending' || from === 'submitted'
    if (from !== null || isOpen) state.mine[from ?? 'pending'] = Math.max(0, state.mine[from ?? 'pending'] - 1)
    if (to !== null || isOpen) state.mine[to ?? 'pending']++
  }

  function set(given: Given): void {
    // The user has answered in another browser.
    if (given.metrics.responses.submitted !== state.mine.submitted && !pace.isWaiting()) pace.askSoon()
    Object.assign(state, read(given))
  }

  async function refresh(): Promise<void> {
    const params = { dataset_id: bundle.dataset.id }
    const { metrics, progress } = await api.getDataset({ params, query: { include: ['metrics', 'progress'] } })
    if (!metrics || !progress) throw new Error('The server did not send the counts it was asked for')
    set({ metrics, progress })
  }

  return {
    datasetId: bundle.dataset.id,
    state,
    pace: pace.pace,
    count,
    refresh,
    set,
  }
}

export type CounterBoard = ReturnType<typeof openCounters>

/** Uses `pending_for_me`, because `responses.pending` also counts records that others completed. */
function read({ metrics: { responses, pending_for_me }, progress }: Given): Counters {
  const { draft, discarded, submitted } = responses
  const mine = { pending: pending_for_me, draft, discarded, submitted }
  return { mine, team: { total: progress.total, completed: progress.completed } }
}
