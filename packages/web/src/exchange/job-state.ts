/** Labels for the status of export, import and push jobs. */
import type { JobStatus } from '@postil/domain/jobs'
import type { MessageKey } from '../i18n/i18n.ts'

const WORDS: Record<JobStatus, MessageKey> = {
  queued: 'exchange.state_waiting',
  deferred: 'exchange.state_waiting',
  scheduled: 'exchange.state_waiting',
  started: 'exchange.state_running',
  finished: 'exchange.state_finished',
  failed: 'exchange.state_failed',
  stopped: 'exchange.state_canceled',
  canceled: 'exchange.state_canceled',
}

export const statusLabelOf = (status: JobStatus): MessageKey => WORDS[status]

const ENDED: readonly JobStatus[] = ['finished', 'failed', 'stopped', 'canceled']
export const isEnded = (status: JobStatus) => ENDED.includes(status)
