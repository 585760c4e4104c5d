import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { shallowRef } from 'vue'
import { createApi } from '../../../api.ts'
import type { DatasetBundle } from '../../../datasets/dataset-bundle.ts'
import { NO_PACE, toPace } from '../../../datasets/pace.ts'
import { openCounters } from './counters.ts'

/** The team has completed four of ten records, three of them without an answer of the user. */
const METRICS = {
  records: { count: 10 },
  responses: { count: 4, total: 10, submitted: 1, discarded: 1, draft: 2, pending: 6 },
  pending_for_me: 3,
}
const PROGRESS = { total: 10, completed: 4, pending: 6, users: [] }

const open = () => {
  // The only parts of the bundle that are used.
  const bundle = { dataset: { id: 'd1' }, metrics: METRICS, progress: PROGRESS }
  const pace = { pace: shallowRef(toPace(NO_PACE)), change: () => {}, isWaiting: () => false, askSoon: () => asked.push('pace') }
  return openCounters({ api: createApi() }, bundle as unknown as DatasetBundle, pace)
}

const asked: string[] = []
beforeEach(() => {
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json({ metrics: { ...METRICS, pending_for_me: 2 }, progress: { ...PROGRESS, completed: 5 } })
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  asked.length = 0
})

describe('the counters', () => {
  test('ask for the pace when the user has answered elsewhere', () => {
    const { set } = open()
    set({ metrics: METRICS, progress: { ...PROGRESS, completed: 5 } })
    expect(asked).toEqual([])
    set({ metrics: { ...METRICS, responses: { ...METRICS.responses, submitted: 2 } }, progress: PROGRESS })
    expect(asked).toEqual(['pace'])
  })

  test('show as pending what is in my queue, not what others completed', () => {
    const { state } = open()
    expect(state).toEqual({ mine: { pending: 3, draft: 2, discarded: 1, submitted: 1 }, team: { total: 10, completed: 4 } })
  })

  test('fall when others complete a record, as soon as the server says so', async () => {
    const counters = open()
    counters.set({ metrics: { ...METRICS, pending_for_me: 1 }, progress: PROGRESS })
    expect(counters.state.mine.pending).toBe(1)
    await counters.refresh()
    expect([counters.state.mine.pending, counters.state.team.completed]).toEqual([2, 5])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('/api/v1/datasets/d1?include=metrics')
  })

  test.each([
    { from: null, to: 'submitted', record: 'pending', mine: { pending: 2, submitted: 2 } },
    { from: null, to: 'draft', record: 'pending', mine: { pending: 2, draft: 3 } },
    { from: 'draft', to: 'submitted', record: 'pending', mine: { draft: 1, submitted: 2 } },
    { from: 'draft', to: null, record: 'pending', mine: { draft: 1, pending: 4 } },
    { from: 'draft', to: 'draft', record: 'pending', mine: {} },
    // Completed by others: not in the pending queue before or after.
    { from: null, to: 'submitted', record: 'completed', mine: { submitted: 2 } },
    { from: 'draft', to: null, record: 'completed', mine: { draft: 1 } },
    { from: 'discarded', to: null, record: 'completed', mine: { discarded: 0 } },
    // Completed with the user's answer, which is then undone.
    { from: 'submitted', to: null, record: 'completed', mine: { submitted: 0, pending: 4 } },
  ] as const)('of a $record record: $from to $to changes $mine', ({ from, to, record, mine }) => {
    const { state, count } = open()
    const timed = (status: typeof from | typeof to) => status && { status, changedAt: 0 }
    count(timed(from), timed(to), { status: record })
    expect(state.mine).toEqual({ pending: 3, draft: 2, discarded: 1, submitted: 1, ...mine })
  })
})
