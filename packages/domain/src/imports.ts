/** File imports: the source of the rows, the mapping of their columns, and the result. */
import { COLUMN_KINDS } from './columns.ts'
import { invalid } from './errors.ts'
import { checkMappingTargets } from './hub.ts'
import { JOB_STATUSES } from './jobs.ts'
import type { RecordRules } from './record-rules.ts'
import { RESPONSE_STATUSES } from './responses.ts'
import {
  AnyJson,
  Bool,
  Id,
  Int,
  List,
  Nullable,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
} from './schema.ts'

export const IMPORT_FORMATS = ['csv', 'tsv', 'json', 'jsonl', 'parquet', 'excel'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** Names from the Encoding Standard. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-2',
  'iso-8859-15',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Longest column name in a file. */
export const COLUMN_NAME_MAX = 500
export const COLUMNS_MAX = 2_000

const ColumnName = Text(1, COLUMN_NAME_MAX)
const Character = Text(1, 1)

/** How to read a file. Missing options are detected. */
const source = {
  format: OneOf(IMPORT_FORMATS),
  /** For text formats. */
  encoding: Optional(Nullable(OneOf(ENCODINGS))),
  /** For CSV. */
  separator: Optional(Nullable(Character)),
  quote: Optional(Nullable(Character)),
  /** For CSV and Excel: true if the first row contains the column names. */
  header: Optional(Nullable(Bool())),
  /** For Excel. */
  sheet: Optional(Nullable(Text(1, 255))),
  /** For JSON: path of the list of rows, such as `data.rows`; empty if the file is the list. */
  path: Optional(Nullable(Text(0, 500))),
}
export const ImportSource = Shape(source)
export type ImportSource = Static<typeof ImportSource>

export const PREVIEW_ROWS_MAX = 100
/** Maximum number of rows that a preview inspects. */
export const PREVIEW_INSPECTED_MAX = 1_000
export const PREVIEW_DISTINCT_MAX = 50

export const PreviewRequest = Shape({
  source: Optional(Nullable(ImportSource)),
  rows: Optional(Int({ minimum: 1, maximum: PREVIEW_ROWS_MAX })),
})
export type PreviewRequest = Static<typeof PreviewRequest>

export const COLUMN_USES = ['field', 'metadata', 'vector', 'suggestion', 'external_id', 'ignore'] as const
export type ColumnUse = (typeof COLUMN_USES)[number]

const PreviewColumn = Shape({
  name: Text(),
  type: OneOf(COLUMN_KINDS),
  /** Dimensions of vectors. */
  dimensions: Nullable(Int()),
  /** Number of inspected rows without a value. */
  empty: Int(),
  /** The distinct values; null if there are more than 50, or if some are long. */
  distinct: Nullable(List(Text())),
  suggestion: OneOf(COLUMN_USES),
  examples: List(Text()),
})
export type PreviewColumn = Static<typeof PreviewColumn>

export const Preview = Shape({
  source: Shape({ ...source, sheets: Optional(List(Text())) }),
  /** Null if unknown. */
  rows_estimate: Nullable(Int()),
  columns: List(PreviewColumn),
  /** Values in the order of `columns`. */
  rows: List(List(AnyJson)),
  problems: List(Text()),
})
export type Preview = Static<typeof Preview>

const MappingItem = Shape({ source: ColumnName, target: Text(1, 500) })
const MappingItems = Optional(List(MappingItem, { maxItems: 1000 }))

/** Status of responses for which a mapping has none. */
export const RESPONSE_STATUS_OF_IMPORTS = 'submitted'

export const ImportMapping = Shape({
  external_id: NullByDefault(ColumnName),
  fields: List(MappingItem, { minItems: 1, maxItems: 1000 }),
  metadata: MappingItems,
  vectors: MappingItems,
  suggestions: Optional(
    List(
      Shape({
        target: Text(1, 500),
        value: ColumnName,
        score: NullByDefault(ColumnName),
        agent: NullByDefault(ColumnName),
        /** The same for all rows. */
        agent_name: NullByDefault(Text(1, 200)),
      }),
      { maxItems: 1000 },
    ),
  ),
  responses: Optional(
    List(
      Shape({
        target: Text(1, 500),
        value: ColumnName,
        /** Column with usernames. Without it, the responses belong to the user who imports. */
        user: NullByDefault(ColumnName),
        status: Optional(OneOf(RESPONSE_STATUSES)),
      }),
      { maxItems: 1000 },
    ),
  ),
})
export type ImportMapping = Static<typeof ImportMapping>

export const ImportRequest = Shape({
  upload_id: Id,
  source: Optional(Nullable(ImportSource)),
  mapping: ImportMapping,
  /** If true, checks all rows and stores none. */
  dry_run: Optional(Bool()),
  /** Action for a row whose external id already exists. */
  on_conflict: Optional(OneOf(['update', 'skip'])),
  /** Null: the import continues, however many rows are rejected. */
  stop_after_rejects: NullByDefault(Int({ minimum: 1 })),
})
export type ImportRequest = Static<typeof ImportRequest>

export const IMPORT_ERRORS_MAX = 50
/** Longest value that is shown. */
export const REJECTED_VALUE_MAX = 200

/** A row that could not be imported. Rows are numbered from 1, without the header. */
const RejectedRow = Shape({ row: Int(), column: Nullable(Text()), value: Nullable(Text()), reason: Text() })
export type RejectedRow = Static<typeof RejectedRow>

const ImportRows = Shape({ read: Int(), created: Int(), updated: Int(), skipped: Int(), rejected: Int() })
export type ImportRows = Static<typeof ImportRows>

export const Import = Shape({
  id: Id,
  dataset_id: Id,
  upload_id: Id,
  /** File name. */
  name: Text(),
  status: OneOf(JOB_STATUSES),
  dry_run: Bool(),
  rows: ImportRows,
  bytes: Shape({ done: Int(), total: Int() }),
  /** The first rejected rows. The file of rejected rows has all of them. */
  errors: List(RejectedRow),
  rejects_file: Bool(),
  /** Error of the import or of its last attempt. */
  error: Nullable(Text()),
  inserted_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Import = Static<typeof Import>

export const IMPORTS_LISTED_MAX = 100

/** Newest first. `next` is the `before` of the next page. */
export const ImportPage = Shape({ items: List(Import), next: Nullable(Id) })
export type ImportPage = Static<typeof ImportPage>

/** Throws unless every target exists and is used once. Otherwise the import would silently drop data. */
export function checkImportMapping(mapping: ImportMapping, rules: RecordRules): void {
  const { fields, metadata = [], vectors = [], suggestions = [], responses = [] } = mapping
  checkMappingTargets(fields, { key: 'fields', noun: 'field', known: rules.fields })
  checkMappingTargets(metadata, { key: 'metadata', noun: 'metadata property', known: rules.metadata })
  checkMappingTargets(vectors, { key: 'vectors', noun: 'vector', known: rules.vectors })
  checkMappingTargets(suggestions, { key: 'suggestions', noun: 'question', known: rules.questions })
  // Several people may have answered the same question, each in separate columns.
  for (const of of Map.groupBy(responses, ({ user }) => user ?? null).values()) {
    checkMappingTargets(of, { key: 'responses', noun: 'question', known: rules.questions })
    const [first, ...others] = of.map(({ target, status = RESPONSE_STATUS_OF_IMPORTS }) => ({ target, status }))
    const other = others.find(({ status }) => status !== first?.status)
    if (first && other) {
      const words = [first, other].map(({ target, status }) => `\`${target}\` is \`${status}\``).join(', ')
      throw invalid(`All responses of one user have the same status, but ${words}`, ['mapping', 'responses'])
    }
  }
}

/** Returns the columns that a mapping reads. */
export function columnsOfMapping({ external_id, fields, metadata, vectors, suggestions, responses }: ImportMapping): string[] {
  const read = [
    external_id,
    ...[fields, metadata ?? [], vectors ?? []].flat().map(item => item.source),
    ...(suggestions ?? []).flatMap(({ value, score, agent }) => [value, score, agent]),
    ...(responses ?? []).flatMap(({ value, user }) => [value, user]),
  ]
  return [...new Set(read.filter(name => name != null))]
}
