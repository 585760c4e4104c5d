import { SkippedRows } from './hub.ts'
import { Id, Int, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamp, Timestamps } from './schema.ts'

export const JOB_STATUSES = ['queued', 'finished', 'failed', 'started', 'deferred', 'scheduled', 'stopped', 'canceled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Maximum number of jobs on one page of the list. */
export const JOBS_LISTED_MAX = 100

/** `total` is null if it is unknown. Without a `unit`, records, rows or answers are counted. */
export const JobProgress = Shape({ done: Int(), total: Nullable(Int()), unit: Optional(OneOf(['bytes'])) })
export type JobProgress = Static<typeof JobProgress>

/** A job. Jobs that exchange data with the hub also report their progress to users who may read them. */
export const Job = Shape({
  id: Id,
  status: OneOf(JOB_STATUSES),
  progress: Optional(Nullable(JobProgress)),
  /** Error of the last attempt. */
  error: Optional(Nullable(Text())),
  /** Rows that could not be stored, for an import from the hub. */
  skipped: Optional(Nullable(SkippedRows)),
  /** URL of the dataset on the hub. */
  url: Optional(Text()),
})
export type Job = Static<typeof Job>

/** A job with the details that owners see. */
export const JobDetails = Shape({
  id: Text(),
  name: Text(),
  status: OneOf(JOB_STATUSES),
  /** Attempts since the last progress. */
  attempts: Int(),
  /** Error of the last attempt. */
  error: Nullable(Text()),
  progress: Nullable(JobProgress),
  /** Rows that could not be stored, for an import. */
  skipped: Nullable(SkippedRows),
  dataset_id: Nullable(Id),
  /** Null if the dataset was deleted. */
  dataset_name: Nullable(Text()),
  /** User who started the job; null if the server did, or if the user was deleted. */
  actor: Nullable(Shape({ id: Id, username: Text() })),
  run_at: Timestamp,
  ...Timestamps,
  finished_at: Nullable(Timestamp),
})
export type JobDetails = Static<typeof JobDetails>

/** Newest first. `next` is the `before` of the next page. */
export const JobPage = Shape({ items: List(JobDetails), next: Nullable(Text()) })
export type JobPage = Static<typeof JobPage>
