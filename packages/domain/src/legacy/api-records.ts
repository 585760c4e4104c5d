/** Legacy routes for records. */
import {
  AnyJson,
  Bool,
  Dictionary,
  Int,
  List,
  Nullable,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  StrictInt,
  Text,
} from '../schema.ts'
import { DatasetMetadata, PlaceParams, Tags, TaskParams } from './api-datasets.ts'
import { RecordQuery, SortBy } from './filter.ts'
import { STATUSES } from './record.ts'
import { legacyRoute } from './route.ts'
import { TASK_RULES } from './rules-of.ts'
import { TASKS, type Task } from './tasks.ts'

/** Clients rely on these two limits, so they are not settings. */
const LIMIT_MAX = 1_000
const FROM_MAX = 10_000

/** The client omits a limit of 0. */
const Limit = (fallback: number) => Optional(Int({ minimum: 0, maximum: LIMIT_MAX, default: fallback }))

const bulkOf = (task: Task) =>
  legacyRoute({
    id: `legacyBulk${task}`,
    method: 'POST',
    paths: [`/api/datasets/{name}/${task}:bulk`, `/api/datasets/{name}/${task}/bulk`, `/api/dataset/{name}/${task}:bulk`],
    runs: 'writer',
    largeBody: true,
    summary: `Create or change records of a ${task} dataset`,
    params: PlaceParams,
    body: Shape({ tags: NullByDefault(Tags), metadata: NullByDefault(DatasetMetadata), records: List(TASK_RULES[task].Record) }),
    response: Shape({ dataset: Text(), processed: StrictInt, failed: StrictInt }),
  })

export const LEGACY_BULKS = TASKS.map(task => ({ task, contract: bulkOf(task) }))

export const LegacyScan = Shape({
  query: NullByDefault(RecordQuery),
  fields: NullByDefault(List(Text(1, 500), { maxItems: 1_000 })),
  sort_by: SortBy,
  next_idx: NullByDefault(Text()),
  next_page_cfg: NullByDefault(Text()),
})
export type LegacyScan = Static<typeof LegacyScan>

export const legacyScanRecords = legacyRoute({
  id: 'legacyScanRecords',
  method: 'POST',
  paths: ['/api/datasets/{name}/records/:search'],
  runs: 'reader',
  searches: true,
  affinity: 'name',
  optionalBody: true,
  largeBody: true,
  summary: 'One page of records as they are stored, and where the next one begins',
  params: PlaceParams,
  query: Shape({ limit: Limit(100) }),
  body: LegacyScan,
  response: AnyJson,
})

export const LegacySearch = Shape({ query: NullByDefault(RecordQuery), sort: SortBy })
export type LegacySearch = Static<typeof LegacySearch>

export const legacySearchRecords = legacyRoute({
  id: 'legacySearchRecords',
  method: 'POST',
  paths: ['/api/datasets/{name}/{task}:search'],
  runs: 'reader',
  searches: true,
  affinity: 'name',
  optionalBody: true,
  largeBody: true,
  summary: 'Records that match, their number, and counts of their values',
  params: TaskParams,
  query: Shape({
    limit: Limit(50),
    from: Optional(Int({ minimum: 0, maximum: FROM_MAX, default: 0 })),
    include_metrics: Optional(Bool({ default: false })),
  }),
  body: LegacySearch,
  response: AnyJson,
})

export const legacyDeleteRecords = legacyRoute({
  id: 'legacyDeleteRecords',
  method: 'DELETE',
  paths: ['/api/datasets/{name}/data'],
  runs: 'reader',
  endsOnWriter: true,
  searches: true,
  affinity: 'name',
  optionalBody: true,
  largeBody: true,
  summary: 'Delete the records that match, or mark them as discarded',
  params: PlaceParams,
  query: Shape({ mark_as_discarded: Optional(Bool({ default: false })) }),
  // If the server refuses a request, the client retries with the query wrapped in an object.
  body: Shape({ ...RecordQuery.properties, query: NullByDefault(RecordQuery) }),
  response: Shape({ matched: StrictInt, processed: StrictInt }),
})

const RecordParams = Shape({ workspace: Text(), name: Text(), record_id: Text() })

export const legacyGetRecord = legacyRoute({
  id: 'legacyGetRecord',
  method: 'GET',
  paths: ['/api/datasets/{name}/records/{record_id}'],
  runs: 'here',
  summary: 'A record',
  params: RecordParams,
  response: AnyJson,
})

export const LegacyRecordUpdate = Shape({
  metadata: NullByDefault(Dictionary(AnyJson)),
  status: Optional(Nullable(OneOf(STATUSES))),
})
export type LegacyRecordUpdate = Static<typeof LegacyRecordUpdate>

export const legacyUpdateRecord = legacyRoute({
  id: 'legacyUpdateRecord',
  method: 'PATCH',
  paths: ['/api/datasets/{name}/records/{record_id}'],
  runs: 'writer',
  summary: 'Merge metadata into that of a record, or change its status',
  params: RecordParams,
  body: LegacyRecordUpdate,
  response: AnyJson,
})

/** The search comes first, because its path also matches the path of a record. */
export const legacyRecordContracts = [
  ...LEGACY_BULKS.map(({ contract }) => contract),
  legacyScanRecords,
  legacySearchRecords,
  legacyDeleteRecords,
  legacyGetRecord,
  legacyUpdateRecord,
]
