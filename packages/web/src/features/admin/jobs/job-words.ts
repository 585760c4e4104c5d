/** Texts and looks for jobs: their kind, their state, and the actions that they allow. */
import type { JobDetails, JobStatus } from '@postil/domain/jobs'
import { type MessageKey, t } from '../../../i18n/i18n.ts'
import type { Look } from '../state-tag.vue'

export const JOB_LOOKS: Record<JobStatus, Look> = {
  queued: 'waiting',
  deferred: 'waiting',
  scheduled: 'waiting',
  started: 'running',
  finished: 'good',
  failed: 'bad',
  stopped: 'off',
  canceled: 'off',
}

interface Kind {
  name: MessageKey
  /** False if the server refuses to cancel every job of this kind, so the UI does not offer it. */
  canCancel: boolean
  canRetry: boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  'recompute-status': { name: 'admin.job_recompute_status', canCancel: false, canRetry: true },
  'purge-dataset': { name: 'admin.job_purge_dataset', canCancel: false, canRetry: true },
  'purge-user': { name: 'admin.job_purge_user', canCancel: false, canRetry: true },
  'purge-flags': { name: 'admin.job_purge_flags', canCancel: false, canRetry: true },
  'purge-vectors': { name: 'admin.job_purge_vectors', canCancel: false, canRetry: true },
  'hub-import': { name: 'admin.job_hub_import', canCancel: true, canRetry: true },
  'hub-export': { name: 'admin.job_hub_export', canCancel: true, canRetry: false },
  'file-import': { name: 'admin.job_file_import', canCancel: true, canRetry: true },
  'file-export': { name: 'admin.job_file_export', canCancel: true, canRetry: true },
  'migrate-label': { name: 'admin.job_migrate_label', canCancel: false, canRetry: true },
  'bulk-responses': { name: 'admin.job_bulk_responses', canCancel: true, canRetry: false },
}

const kindOf = (name: string) => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined)

/** Unknown kinds are shown by their name, and the server decides whether they can be cancelled or retried. */
export function jobName(name: string): string {
  const kind = kindOf(name)
  return kind ? t(kind.name) : name
}

const UNFINISHED: readonly JobStatus[] = ['queued', 'started', 'deferred', 'scheduled']
export const isUnfinished = ({ status }: { status: JobStatus }) => UNFINISHED.includes(status)

export const canCancel = (job: JobDetails) => isUnfinished(job) && (kindOf(job.name)?.canCancel ?? true)
export const canRetry = (job: JobDetails) => job.status === 'failed' && (kindOf(job.name)?.canRetry ?? true)
export const isLost = (job: JobDetails) => job.status === 'failed' && !canRetry(job)
