import { DISTRIBUTION_DEFAULT, Distribution } from './distribution.ts'
import { invalid } from './errors.ts'
import {
  AnyJson,
  Bool,
  Dictionary,
  Id,
  Int,
  type Json,
  List,
  Name,
  Nullable,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Timestamps,
  Type,
} from './schema.ts'

export const DATASET_STATUSES = ['draft', 'ready'] as const
export type DatasetStatus = (typeof DATASET_STATUSES)[number]

const Guidelines = Nullable(Text(1, 10_000))

/** Free for clients; the server never reads it. Nothing to do with the metadata of records. */
const DatasetMetadata = Nullable(Dictionary(AnyJson))

export const Dataset = Shape({
  id: Id,
  name: Name,
  guidelines: Guidelines,
  allow_extra_metadata: Bool(),
  status: OneOf(DATASET_STATUSES),
  distribution: Distribution,
  metadata: DatasetMetadata,
  workspace_id: Id,
  last_activity_at: Timestamp,
  ...Timestamps,
})
export type Dataset = Static<typeof Dataset>

export const DatasetCreate = Shape({
  name: Name,
  guidelines: Optional(Guidelines),
  allow_extra_metadata: Optional(Bool({ default: true })),
  distribution: Optional(Type.Object(Distribution.properties, { default: DISTRIBUTION_DEFAULT })),
  metadata: Optional(DatasetMetadata),
  workspace_id: Id,
})
export type DatasetCreate = Static<typeof DatasetCreate>

export const DatasetUpdate = Shape(
  {
    name: Optional(Name),
    guidelines: Optional(Guidelines),
    allow_extra_metadata: Optional(Bool()),
    distribution: Optional(Distribution),
    metadata: Optional(DatasetMetadata),
  },
  { 'x-not-null': ['name', 'allow_extra_metadata', 'distribution'] },
)
export type DatasetUpdate = Static<typeof DatasetUpdate>

export const DatasetProgress = Shape({
  total: Int(),
  completed: Int(),
  pending: Int(),
  users: List(Shape({ username: Text() })),
})
export type DatasetProgress = Static<typeof DatasetProgress>

const ResponseCounts = Shape({ submitted: Int(), discarded: Int(), draft: Int() })

export const DatasetUsersProgress = Shape({
  users: List(Shape({ username: Text(), completed: ResponseCounts, pending: ResponseCounts })),
})
export type DatasetUsersProgress = Static<typeof DatasetUsersProgress>

/** The caller's own view. `records` and `responses.count` are for clients of the 1.x line. */
export const DatasetMetrics = Shape({
  records: Shape({ count: Int() }),
  responses: Shape({ count: Int(), total: Int(), submitted: Int(), discarded: Int(), draft: Int(), pending: Int() }),
})
export type DatasetMetrics = Static<typeof DatasetMetrics>

/**
 * The same with what is left to do. `responses.pending` counts every record without a response of the caller, as existing clients
 * know it; `pending_for_me` leaves out those that others have completed, so it is the length of the caller's queue.
 */
export const MyDatasetMetrics = Shape({ ...DatasetMetrics.properties, pending_for_me: Int() })
export type MyDatasetMetrics = Static<typeof MyDatasetMetrics>

interface Requirable {
  required: boolean
}

export function checkPublishable(
  dataset: Pick<Dataset, 'status'>,
  fields: readonly Requirable[],
  questions: readonly Requirable[],
): void {
  if (dataset.status === 'ready') throw invalid('Dataset is already published')
  if (fields.length === 0) throw invalid('Dataset cannot be published without a field')
  if (!fields.some(field => field.required)) throw invalid('Dataset cannot be published without a required field')
  if (!questions.some(question => question.required)) throw invalid('Dataset cannot be published without a required question')
}

type Metadata = { [key: string]: Json }

/** Dataset metadata with that of a PATCH: keys given replace, keys not given stay, null clears all. */
export function mergeDatasetMetadata(stored: Metadata | null, given: Metadata | null): Metadata | null {
  // A spread defines keys and never sets them, so `__proto__` is a key like any other.
  return given === null ? null : { ...stored, ...given }
}
