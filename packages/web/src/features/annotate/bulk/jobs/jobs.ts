/** Jobs on the server for many records: started here, followed while the page is open, and resumed when it is opened again. */
import type { BulkJob, BulkRequest } from '@postil/domain/bulk-jobs'
import { onScopeDispose, ref, shallowRef } from 'vue'
import type { Api } from '../../../../api.ts'
import { describeProblem } from '../../../../problems.ts'
import { newId } from '../../../../storage/uuid.ts'

/** The button that was pressed; it shows the progress. */
export type Pressed = 'submitted' | 'draft' | 'discarded' | 'pending' | 'accept' | 'undo'

const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 1_000

/** Job that the server has accepted. */
export interface Begun {
  id: string
  /** Resolves with null if the page was left before the job ended. */
  ended: Promise<BulkJob | null>
}

export function openJobs(api: Api, datasetId: () => string) {
  const job = shallowRef<BulkJob | null>(null)
  const pressed = ref<Pressed | null>(null)
  /** True until the first response of the server. */
  const isStarting = ref(false)
  const problem = ref('')
  /** Resolves when the current job has ended. */
  let running: Promise<void> | null = null
  let isClosed = false
  onScopeDispose(() => {
    isClosed = true
  })

  /** Returns null if the job could not be started; `problem` then has the reason. */
  async function follow(begin: () => Promise<Pick<BulkJob, 'id'>>, button: Pressed): Promise<Begun | null> {
    if (pressed.value !== null) return null
    pressed.value = button
    isStarting.value = true
    problem.value = ''
    const over = Promise.withResolvers<void>()
    running = over.promise
    const end = () => {
      pressed.value = null
      isStarting.value = false
      job.value = null
      running = null
      over.resolve()
    }
    try {
      const { id } = await begin()
      return { id, ended: watchJob(id).finally(end) }
    } catch (error) {
      problem.value = describeProblem(error)
      end()
      return null
    }
  }

  async function watchJob(id: string): Promise<BulkJob | null> {
    for (let pause = FIRST_PAUSE_MS; !isClosed; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
      // A failed poll does not mean that the job failed.
      const now = await api.getBulkJob({ params: { job_id: id } }).catch(() => null)
      if (now) {
        isStarting.value = false
        job.value = now
        if (now.finished_at !== null) return now
      }
      await new Promise(resolve => setTimeout(resolve, pause))
    }
    return null
  }

  function begin(request: Omit<BulkRequest, 'write_id'>, button: Pressed): Promise<Begun | null> {
    const body = { ...request, write_id: newId() }
    return follow(() => api.createBulkJob({ params: { dataset_id: datasetId() }, body }), button)
  }

  /** Waits for the running job first, because the server can only undo finished jobs. */
  async function beginUndo(jobId: string): Promise<Begun | null> {
    while (running) await running
    return follow(() => api.undoBulkJob({ params: { job_id: jobId } }), 'undo')
  }

  return {
    job,
    pressed,
    isStarting,
    problem,
    begin,
    /** Returns the finished job; null if it could not be started or the page was left before it ended. */
    run: async (request: Omit<BulkRequest, 'write_id'>, button: Pressed) => (await begin(request, button))?.ended ?? null,
    beginUndo,
    undo: async (jobId: string) => (await beginUndo(jobId))?.ended ?? null,
    /** Follows a job that was started before this page was opened. */
    async resume(): Promise<BulkJob | null> {
      const { items } = await api.listBulkJobs({ params: { dataset_id: datasetId() } }).catch(() => ({ items: [] }))
      const open = items.find(({ finished_at, type }) => finished_at === null && type !== 'delete_records')
      if (!open || isClosed) return null
      const begun = await follow(async () => open, open.type === 'undo' ? 'undo' : (open.response_status ?? 'pending'))
      return begun?.ended ?? null
    },
    async cancel(): Promise<void> {
      if (!job.value) return
      try {
        job.value = await api.cancelBulkJob({ params: { job_id: job.value.id } })
      } catch (error) {
        problem.value = describeProblem(error)
      }
    },
  }
}

export type Jobs = ReturnType<typeof openJobs>
