/** Jobs in words: what kind they are, and how their state looks. */
import type { JobStatus } from '@postil/domain/jobs'
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

const NAMES: Readonly<Record<string, MessageKey>> = {
  'recompute-status': 'admin.job_recompute_status',
  'purge-dataset': 'admin.job_purge_dataset',
  'purge-user': 'admin.job_purge_user',
  'purge-vectors': 'admin.job_purge_vectors',
  'bulk-responses': 'admin.job_bulk_responses',
}

/** A kind that this page does not know is shown by its name. */
export function jobName(name: string): string {
  const key = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined
  return key ? t(key) : name
}

const UNFINISHED: readonly JobStatus[] = ['queued', 'started', 'deferred', 'scheduled']
export const isUnfinished = ({ status }: { status: JobStatus }) => UNFINISHED.includes(status)
