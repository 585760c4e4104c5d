/** Overview for project leads: progress of a dataset, work per person, answers, and the quality of suggestions. */
import { RECORD_STATUSES } from './distribution.ts'
import { RESPONSE_STATUSES } from './responses.ts'
import { Bool, Float, Id, Int, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamp } from './schema.ts'

/** Maximum number of listed values, agents and people. Further ones are counted, but not listed. */
export const OVERVIEW_VALUES_MAX = 100
export const OVERVIEW_AGENTS_MAX = 20
export const OVERVIEW_PEOPLE_MAX = 500
export const OVERVIEW_DAYS_MAX = 366

/** Minutes by which the caller's time zone is ahead of UTC. Days start at midnight there. */
export const UtcOffset = Optional(Int({ minimum: -840, maximum: 840, default: 0 }))

export const OverviewQuery = Shape({
  /** Number of listed days, including today. */
  days: Optional(Int({ minimum: 1, maximum: OVERVIEW_DAYS_MAX, default: 30 })),
  utc_offset: UtcOffset,
})
export type OverviewQuery = Static<typeof OverviewQuery>

const Forecast = Shape({
  /** Records completed per day. */
  per_day: Float(),
  /** Day on which the last record is completed at this pace, and its 80% confidence interval. */
  date: Text(),
  earliest: Text(),
  /** Null if it is too late to forecast. */
  latest: Nullable(Text()),
})
export type Forecast = Static<typeof Forecast>

/** Submitted answers to a question that had a suggestion, and how many of them equal the suggestion. */
const Acceptance = { answered: Int(), accepted: Int() }

const OverviewPerson = Shape({
  id: Id,
  username: Text(),
  first_name: Text(),
  last_name: Nullable(Text()),
  submitted: Int(),
  draft: Int(),
  discarded: Int(),
  /** Responses submitted on each of the listed days. */
  days: List(Int()),
  /** Time between consecutive answers, without breaks; null if there are too few answers. */
  median_seconds: Nullable(Float()),
  last_active_at: Timestamp,
  suggestions: Shape(Acceptance),
})
export type OverviewPerson = Static<typeof OverviewPerson>

const OverviewQuestion = Shape({
  id: Id,
  name: Text(),
  title: Text(),
  type: Text(),
  /** Submitted responses that answer the question. */
  answered: Int(),
  /** Most frequent first, with the number of times each was suggested for the same answers. Empty for texts. */
  values: List(Shape({ value: Text(), count: Int(), suggested: Int() })),
  /** Total count of all values that are not listed. */
  other: Int(),
})
export type OverviewQuestion = Static<typeof OverviewQuestion>

const OverviewAgent = Shape({
  question: Text(),
  agent: Nullable(Text()),
  ...Acceptance,
  /** Acceptance by score. The lowest of a list of scores counts. Buckets without an answer are omitted. */
  scores: List(Shape({ from: Float(), to: Float(), ...Acceptance })),
  unscored: Shape(Acceptance),
})
export type OverviewAgent = Static<typeof OverviewAgent>

export const Overview = Shape({
  /** Progress while the responses are still being read. Until it is null, the other numbers are partial; repeat the request. */
  reading: Nullable(Shape({ done: Int(), total: Int() })),
  records: Shape({ total: Int(), completed: Int(), in_progress: Int(), not_started: Int() }),
  responses: Shape({ submitted: Int(), draft: Int(), discarded: Int() }),
  median_seconds: Nullable(Float()),
  suggestions: Shape(Acceptance),
  /** Null if there is too little data, or if no work is left. */
  forecast: Nullable(Forecast),
  /** Oldest first. A response counts on the day of its last change, a record on the day it got its last required response. */
  days: List(Shape({ date: Text(), completed: Int(), submitted: Int() })),
  /** Sorted by submitted responses, highest first. */
  people: List(OverviewPerson),
  people_total: Int(),
  questions: List(OverviewQuestion),
  /** By question and agent, sorted by number of answers, highest first. */
  agents: List(OverviewAgent),
})
export type Overview = Static<typeof Overview>

/** Query for the records behind a number: those with a response that matches all given parameters. */
export const OverviewRecordsQuery = Shape({
  record_status: Optional(OneOf(RECORD_STATUSES)),
  status: Optional(OneOf(RESPONSE_STATUSES)),
  user_id: Optional(Id),
  /** The question that the following parameters refer to. */
  question: Optional(Text(1, 200)),
  /** Value in the response. */
  value: Optional(Text(1, 500)),
  /** Agent of the suggestion; empty for suggestions without an agent. */
  agent: Optional(Text(0, 200)),
  /** Score of the suggestion in tenths, rounded down; a score of 1 counts as 9 tenths. -1 for no score. */
  score_tenths: Optional(Int({ minimum: -1, maximum: 9 })),
  /** True if the response equals the suggestion. */
  accepted: Optional(Bool()),
  /** Starts the page one record before this one, or before the place where it would be. Replaces `offset`. */
  record_id: Optional(Id),
  offset: Optional(Int({ minimum: 0, maximum: 1_000_000, default: 0 })),
  limit: Optional(Int({ minimum: 1, maximum: 100, default: 50 })),
})
export type OverviewRecordsQuery = Static<typeof OverviewRecordsQuery>

export const OverviewRecords = Shape({
  /** True while responses are still being read. The result is partial then. */
  reading: Bool(),
  total: Int(),
  /** Position of the first listed record. */
  offset: Int(),
  /** Number of records before `record_id`; null without it. The record itself is listed only if it matches. */
  place: Nullable(Int()),
  /** In order of insertion. */
  items: List(Shape({ id: Id, external_id: Nullable(Text()) })),
})
export type OverviewRecords = Static<typeof OverviewRecords>
