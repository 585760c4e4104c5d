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

/** Custom data of clients, which the server never reads. Unrelated to the metadata of records. */
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

/** The caller's metrics. `records` and `responses.count` are for 1.x clients. */
export const DatasetMetrics = Shape({
  records: Shape({ count: Int() }),
  responses: Shape({ count: Int(), total: Int(), submitted: Int(), discarded: Int(), draft: Int(), pending: Int() }),
})
export type DatasetMetrics = Static<typeof DatasetMetrics>

/**
 * Metrics with the remaining work. For compatibility, `responses.pending` counts every record without a response of the caller.
 * `pending_for_me` excludes records that others have completed, so it is the length of the caller's queue.
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

/** Applies dataset metadata of a PATCH: given keys replace stored ones, other keys stay, null clears all. */
export function mergeDatasetMetadata(stored: Metadata | null, given: Metadata | null): Metadata | null {
  // A spread defines keys instead of assigning them, so `__proto__` is an ordinary key.
  return given === null ? null : { ...stored, ...given }
}
