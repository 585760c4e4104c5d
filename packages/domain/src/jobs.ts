import { Id, OneOf, Shape, type Static } from './schema.ts'

export const JOB_STATUSES = ['queued', 'finished', 'failed', 'started', 'deferred', 'scheduled', 'stopped', 'canceled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const Job = Shape({ id: Id, status: OneOf(JOB_STATUSES) })
export type Job = Static<typeof Job>
