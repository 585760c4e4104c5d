import { Id, Int, Nullable, OneOf, Shape, type Static, Text, Timestamp, Timestamps } from './schema.ts'

export const JOB_STATUSES = ['queued', 'finished', 'failed', 'started', 'deferred', 'scheduled', 'stopped', 'canceled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const Job = Shape({ id: Id, status: OneOf(JOB_STATUSES) })
export type Job = Static<typeof Job>

export const JobDetails = Shape({
  id: Id,
  name: Text(),
  status: OneOf(JOB_STATUSES),
  attempts: Int(),
  error: Nullable(Text()),
  progress: Nullable(Shape({ done: Int(), total: Nullable(Int()) })),
  dataset_id: Nullable(Id),
  run_at: Timestamp,
  ...Timestamps,
  finished_at: Nullable(Timestamp),
})
export type JobDetails = Static<typeof JobDetails>
