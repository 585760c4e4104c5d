import { Id, Int, List, Nullable, OneOf, Shape, type Static, Text, Timestamp, Timestamps } from './schema.ts'

export const JOB_STATUSES = ['queued', 'finished', 'failed', 'started', 'deferred', 'scheduled', 'stopped', 'canceled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const Job = Shape({ id: Id, status: OneOf(JOB_STATUSES) })
export type Job = Static<typeof Job>

/** Jobs of one page of the list. */
export const JOBS_LISTED_MAX = 100

/** `total` is null if it is not known. */
const JobProgress = Shape({ done: Int(), total: Nullable(Int()) })
export type JobProgress = Static<typeof JobProgress>

/** What owners see of a job. */
export const JobDetails = Shape({
  id: Text(),
  name: Text(),
  status: OneOf(JOB_STATUSES),
  /** Since the last progress. */
  attempts: Int(),
  /** Why the last attempt failed. */
  error: Nullable(Text()),
  progress: Nullable(JobProgress),
  dataset_id: Nullable(Id),
  run_at: Timestamp,
  ...Timestamps,
  finished_at: Nullable(Timestamp),
})
export type JobDetails = Static<typeof JobDetails>

/** Newest first. `next` is the `before` of the next page. */
export const JobPage = Shape({ items: List(JobDetails), next: Nullable(Text()) })
export type JobPage = Static<typeof JobPage>
