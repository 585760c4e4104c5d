/** Work of the hub thread for the main thread: batches of imports and whole exports, for the hub and for files. */
import type { JobProgress } from '@postil/domain/jobs'
import type { RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { toTrace } from '../../lib/trace.ts'
import { runFileExport } from '../exports/run.ts'
import type { FileBatch } from '../imports/jobs.ts'
import { createFileImport, type FileImport } from '../imports/run.ts'
import { runExport } from './export.ts'
import { HubRefusal, HubUnavailable } from './failures.ts'
import { createHubClient } from './hub-client.ts'
import { createHubImport, type HubImportReader, type ImportBatch } from './imports.ts'
import type { HubJob } from './jobs.ts'

export type HubWork =
  | { kind: 'batch'; job: Extract<HubJob, { name: 'hub-import' }> }
  | { kind: 'file-batch'; job: Extract<HubJob, { name: 'file-import' }> }
  | { kind: 'export'; job: Extract<HubJob, { name: 'hub-export' }> }
  | { kind: 'file-export'; job: Extract<HubJob, { name: 'file-export' }> }
  /** Requests the progress of an export. */
  | { kind: 'progress'; id: Id }
  /** Sent if the job was canceled or taken over by another process. */
  | { kind: 'cancel'; id: Id }

export type HubResult =
  | { kind: 'batch'; batch: ImportBatch }
  | { kind: 'file-batch'; batch: FileBatch }
  /** `size` is the size of the written file. */
  | { kind: 'done'; size?: number; progress?: JobProgress }
  | { kind: 'progress'; progress: Partial<JobProgress> | null }
  | { kind: 'failed'; message: string; isFinal: boolean }

interface RunningJob {
  abort: AbortController
  progress: Partial<JobProgress> | null
  /** Open files of a hub import. */
  imported: HubImportReader | null
  /** State of a file import. */
  file: FileImport | null
}

export function createHubWork(ctx: Context, checkShape: (item: unknown) => RecordUpsert) {
  const running = new Map<Id, RunningJob>()
  const find = (id: Id): RunningJob => {
    const known = running.get(id) ?? { abort: new AbortController(), progress: null, imported: null, file: null }
    running.set(id, known)
    return known
  }
  const end = (id: Id) => {
    running.get(id)?.abort.abort()
    running.delete(id)
  }

  async function readBatch({ id, payload }: Extract<HubWork, { kind: 'batch' }>['job']): Promise<HubResult> {
    if (payload.total !== null && payload.done >= payload.total) return { kind: 'done' }
    const job = find(id)
    const { hubUrl, hubToken } = ctx.config
    job.imported ??= createHubImport({
      ctx,
      hub: createHubClient({ hubUrl, token: hubToken, signal: job.abort.signal }),
      checkShape,
    })
    return { kind: 'batch', batch: await job.imported.next(payload) }
  }

  async function exportAll({ id, payload }: Extract<HubWork, { kind: 'export' }>['job']): Promise<HubResult> {
    const job = find(id)
    await runExport(ctx, {
      id,
      payload,
      signal: job.abort.signal,
      onProgress: done => {
        job.progress = { done }
      },
    })
    return { kind: 'done' }
  }

  const attempt = async (id: Id, work: () => Promise<HubResult>): Promise<HubResult> => {
    const result = await work().catch((error: unknown) => toFailed(ctx, id, error))
    // After a failure, the next attempt reopens everything.
    if (result.kind === 'done' || result.kind === 'failed') end(id)
    return result
  }

  return {
    run: async (work: HubWork): Promise<HubResult> => {
      if (work.kind === 'batch') return attempt(work.job.id, () => readBatch(work.job))
      if (work.kind === 'file-batch')
        return attempt(work.job.id, () => readFileBatch({ ctx, checkShape }, work.job, find(work.job.id)))
      if (work.kind === 'export') return attempt(work.job.id, () => exportAll(work.job))
      if (work.kind === 'file-export') return attempt(work.job.id, () => exportFile(ctx, work.job, find(work.job.id)))
      if (work.kind === 'cancel') end(work.id)
      return { kind: 'progress', progress: running.get(work.id)?.progress ?? null }
    },
    close: async () => {
      for (const id of running.keys()) end(id)
    },
  }
}

async function readFileBatch(
  parts: Parameters<typeof createFileImport>[0],
  { payload }: Extract<HubWork, { kind: 'file-batch' }>['job'],
  running: RunningJob,
): Promise<HubResult> {
  running.file ??= createFileImport(parts)
  const batch = await running.file.next(payload)
  return batch ? { kind: 'file-batch', batch } : { kind: 'done' }
}

async function exportFile(
  ctx: Context,
  { id, payload }: Extract<HubWork, { kind: 'file-export' }>['job'],
  running: RunningJob,
): Promise<HubResult> {
  let progress: JobProgress = { done: 0, total: null }
  const size = await runFileExport(ctx, {
    id,
    payload,
    signal: running.abort.signal,
    onProgress: (done, total) => {
      progress = { done, total }
      running.progress = progress
    },
  })
  return { kind: 'done', size, progress }
}

function toFailed({ log }: Context, id: Id, error: unknown): HubResult {
  const isKnown = error instanceof HubRefusal || error instanceof HubUnavailable
  if (!isKnown) log.error({ job_id: id, ...toTrace(error) }, 'work on a job failed')
  return { kind: 'failed', message: (error as Error).message, isFinal: error instanceof HubRefusal }
}
