/**
 * Tracks a hub job. The last job of each dataset is remembered while the page is open, so that the dialog can be closed
 * meanwhile.
 */
import type { Job } from '@postil/domain/jobs'
import { computed, type ShallowRef, shallowRef } from 'vue'
import { useSession } from '../session/use-session.ts'
import { usePolling } from '../use-polling.ts'
import { isEnded } from './job-state.ts'

const POLL_MS = 1_000

export interface HubJob {
  datasetId: string
  kind: 'push' | 'import'
  /** Name of the repository. */
  name: string
  job: Job
}

const openJobs = (): ShallowRef<readonly HubJob[]> => shallowRef([])

export function useHubJob(datasetId: () => string, kind: HubJob['kind']) {
  const { api, own } = useSession()
  const jobs = own(openJobs)
  /** Error while polling; the job itself continues. */
  const problem = shallowRef<unknown>(null)
  const isMine = (one: HubJob) => one.datasetId === datasetId() && one.kind === kind
  const current = computed(() => jobs.value.find(isMine) ?? null)
  const keep = (next: HubJob | null) => {
    jobs.value = [...jobs.value.filter(one => !isMine(one)), ...(next ? [next] : [])]
  }

  async function poll() {
    const asked = current.value
    if (!asked) return
    try {
      const job = await api.getJob({ params: { job_id: asked.job.id } })
      if (current.value?.job.id === job.id) keep({ ...asked, job })
      problem.value = null
    } catch (error) {
      problem.value = error
    }
  }
  usePolling(() => current.value !== null && !isEnded(current.value.job.status), poll, POLL_MS)

  return {
    current,
    problem,
    start: (name: string, job: Job) => keep({ datasetId: datasetId(), kind, name, job }),
    forget: () => keep(null),
    poll,
  }
}
