/**
 * The main thread's side of hub jobs: the writer claims jobs and stores their outcome, and the hub thread does the work. The hub
 * thread is started when there is a job. If it dies, the server continues, and the job is retried in a new thread.
 */
import type { JobProgress } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../context.ts'
import type { HubJob } from '../features/hub/jobs.ts'
import type { HubResult, HubWork } from '../features/hub/work.ts'
import type { HubInput, HubOutput } from '../jobs/hub-exchange.ts'
import { isDue } from '../jobs/worker.ts'
import { supervise } from '../lib/supervise.ts'
import { isOutage } from '../storage/storage-failure.ts'
import type { HubThread } from './hub-thread.ts'
import { createLane } from './lane.ts'
import { expectKind } from './messages.ts'
import type { Thread } from './thread.ts'

/** Polling interval for jobs that became due: retries, or rows left by another process. */
const LOOK_MS = 2_000
/** Interval for renewing leases; much shorter than a lease. */
const RENEW_MS = 5_000
/** Maximum claimed jobs, whose batches take turns. On PostgreSQL the hub thread has only one connection. */
const RUNNING_MAX = { sqlite: 6, postgres: 1 }
/** So that one user's jobs do not keep those of others waiting until they are done. */
const RUNNING_OF_PERSON_MAX = 2
/** Batches or whole exports that the hub thread works on at once. */
const IN_FLIGHT = 2

export interface HubJobs {
  /** Checks for jobs now. */
  wake(): void
  /** Stops running jobs, which continue after the next start or in another process. */
  stop(): Promise<void>
}

type Exchange = (input: HubInput, transfer?: readonly ArrayBuffer[]) => Promise<HubOutput>

export function openHubJobs(ctx: Context, writer: Thread, hub: HubThread): HubJobs {
  const exchange: Exchange = async (input, transfer) =>
    expectKind(await writer.ask({ kind: 'hub-job', input }, transfer), 'hub-job').output
  const running = new Map<Id, { personId: Id; ended: Promise<void> }>()
  const lanes = { batches: createLane({ inFlight: IN_FLIGHT }), exports: createLane({ inFlight: IN_FLIGHT }) }
  const state = { isStopped: false }
  let isLooking = false
  /** The first claim is always made, because it releases leases of a crashed process, whose jobs are not due yet. */
  let hasClaimed = false

  async function takeAll(): Promise<boolean> {
    const isFree = () => !state.isStopped && running.size < RUNNING_MAX[ctx.db.dialect.name]
    while (isFree() && (!hasClaimed || (await isDue(ctx, 'hub')))) {
      const job = await exchange({ kind: 'claim', busy: listBusy([...running.values()]) })
      hasClaimed = true
      if (!job) break
      const end = (error?: unknown) => {
        running.delete(job.id)
        // The job continues when its lease has expired.
        if (error !== undefined && !state.isStopped)
          ctx.log.error({ job_id: job.id, job: job.name, err: error }, 'a job was left')
        wake()
      }
      const personId = job.payload.actor_id
      const lane = isExport(job) ? lanes.exports : lanes.batches
      const work = (next: HubWork) => lane.run({ person: personId }, () => hub.ask(next))
      const ended = runJob(job, { ask: hub.ask, work, exchange, state }).then(() => end(), end)
      running.set(job.id, { personId, ended })
    }
    return true
  }
  const looking = supervise(takeAll, { name: 'hub jobs', log: ctx.log, isOutage })

  function wake(): void {
    if (isLooking || state.isStopped) return
    isLooking = true
    void looking.step().finally(() => {
      isLooking = false
    })
  }

  const timer = setInterval(wake, LOOK_MS).unref()
  return {
    wake,
    stop: async () => {
      state.isStopped = true
      clearInterval(timer)
      await hub.close()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** Users with as many running jobs as one may have. */
function listBusy(running: readonly { personId: Id }[]): Id[] {
  const byPerson = Map.groupBy(running, ({ personId }) => personId)
  return [...byPerson].flatMap(([personId, jobs]) => (jobs.length < RUNNING_OF_PERSON_MAX ? [] : [personId]))
}

interface RunParts {
  ask(work: HubWork): Promise<HubResult>
  /** Like `ask`, when it is the user's turn. */
  work(work: HubWork): Promise<HubResult>
  exchange: Exchange
  state: { readonly isStopped: boolean }
}

/** Runs a job until it has ended or its lease is lost. */
async function runJob(claimed: HubJob, { ask, work, exchange, state }: RunParts): Promise<void> {
  let job: HubJob | null = claimed
  /** Exchanges run one at a time, because each changes the lease that the next one needs. */
  let last: Promise<unknown> = Promise.resolve()
  const tell = (toInput: (held: HubJob) => HubInput, transfer?: readonly ArrayBuffer[]): Promise<void> => {
    const sent = last.then(async () => {
      if (job) job = await exchange(toInput(job), transfer)
    })
    last = sent.catch(() => {})
    return sent
  }
  const timer = setInterval(() => void renew(), RENEW_MS).unref()
  async function renew(): Promise<void> {
    try {
      const response = job && isExport(job) ? await ask({ kind: 'progress', id: claimed.id }) : null
      const progress = response?.kind === 'progress' ? response.progress : null
      await tell(held => ({ kind: 'renew', job: withProgress(held, progress) }))
      if (!job) await ask({ kind: 'cancel', id: claimed.id })
    } catch {
      // A thread has ended. The main loop's pending request fails too, and reports the error.
    }
  }
  try {
    while (job) {
      const result: HubResult = await work(toWork(job))
      await tell(held => toInput(held, result), buffersOf(result))
    }
  } catch (error) {
    if (state.isStopped) await tell(held => ({ kind: 'release', job: held }))
    else await tell(held => ({ kind: 'fail', job: held, message: (error as Error).message, isFinal: false }))
  } finally {
    clearInterval(timer)
    // Lets the hub thread close its files.
    if (!state.isStopped) await ask({ kind: 'cancel', id: claimed.id })
  }
}

const isExport = ({ name }: HubJob) => name === 'hub-export' || name === 'file-export'

function toWork(job: HubJob): HubWork {
  if (job.name === 'hub-import') return { kind: 'batch', job }
  if (job.name === 'file-import') return { kind: 'file-batch', job }
  return job.name === 'hub-export' ? { kind: 'export', job } : { kind: 'file-export', job }
}

const withProgress = (job: HubJob, progress: Partial<JobProgress> | null): HubJob =>
  ({ ...job, payload: { ...job.payload, ...progress } }) as HubJob

function toInput(job: HubJob, result: HubResult): HubInput {
  if (result.kind === 'batch') return { kind: 'store', job, batch: result.batch }
  if (result.kind === 'file-batch') return { kind: 'store-file', job, batch: result.batch }
  if (result.kind === 'done')
    return { kind: 'finish', job: withProgress(job, result.progress ?? null), size: result.size ?? null }
  if (result.kind === 'failed') return { kind: 'fail', job, message: result.message, isFinal: result.isFinal }
  throw new Error(`The hub thread answered \`${result.kind}\``)
}

/** Buffers to transfer instead of copying. */
const buffersOf = (result: HubResult): ArrayBuffer[] =>
  'batch' in result && result.batch.prepared ? [result.batch.prepared.buffer as ArrayBuffer] : []
