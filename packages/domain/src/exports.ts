/** Exports of a dataset as files. */
import { invalid } from './errors.ts'
import { JOB_STATUSES, JobProgress } from './jobs.ts'
import { listed } from './message-values.ts'
import type { QuestionRule, RecordRules } from './record-rules.ts'
import { RESPONSE_STATUSES } from './responses.ts'
import { Id, Int, Items, List, Nullable, OneOf, Optional, Shape, type Static, Text, Timestamp } from './schema.ts'
import { SearchBody } from './search/query.ts'

export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet', 'datasets', 'disk', 'conll', 'spacy'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Kind of each format, which decides the options it supports. Tables have columns; documents are texts with spans. */
const KINDS: Record<ExportFormat, 'table' | 'folder' | 'documents'> = {
  jsonl: 'table',
  csv: 'table',
  parquet: 'table',
  datasets: 'table',
  disk: 'folder',
  conll: 'documents',
  spacy: 'documents',
}

/** Maximum number of exports on one page of the list. */
export const EXPORTS_LISTED_MAX = 100
/** Maximum number of records of an export that is streamed in the response. */
export const STREAM_RECORDS_MAX = 10_000
export const STREAM_FORMATS: readonly ExportFormat[] = ['jsonl', 'csv']

const ColumnName = Text(1, 500)

/** `all`: responses of all users. `user`: of one user. `resolved`: one answer per question, by majority. */
export const RESPONSE_SOURCES = ['all', 'user', 'resolved', 'none'] as const

const ExportedResponses = Shape({ of: OneOf(RESPONSE_SOURCES), user_id: Optional(Nullable(Id)) })

export const ExportRequest = Shape({
  format: OneOf(EXPORT_FORMATS),
  /** Null for all columns. */
  columns: Optional(Nullable(List(ColumnName, { minItems: 1, maxItems: 5000 }))),
  responses: Optional(Nullable(ExportedResponses)),
  /** Statuses of the exported responses. Resolved answers come from submitted ones. */
  statuses: Optional(Nullable(List(OneOf(RESPONSE_STATUSES), { minItems: 1, maxItems: 3 }))),
  /** `wide`: one row per record. `long`: one row per response. */
  shape: Optional(Nullable(OneOf(['wide', 'long']))),
  /** Search body of the record search; null for all records. */
  search: Optional(Nullable(SearchBody)),
  /** The span question, for documents. */
  question: Optional(Nullable(Text(1, 200))),
})
export type ExportRequest = Static<typeof ExportRequest>

const ExportFile = Shape({ name: Text(), size: Int(), media_type: Text(), expires_at: Timestamp })

export const Export = Shape({
  /** Id of the job. */
  id: Id,
  dataset_id: Id,
  format: OneOf(EXPORT_FORMATS),
  status: OneOf(JOB_STATUSES),
  progress: JobProgress,
  /** Null until the export is finished, and after the file has expired. */
  file: Nullable(ExportFile),
  /** Error of the last attempt. */
  error: Nullable(Text()),
  inserted_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Export = Static<typeof Export>

/** Newest first. `next` is the `before` of the next page. */
export const ExportPage = Shape({ items: List(Export), next: Nullable(Text()) })
export type ExportPage = Static<typeof ExportPage>

export const EXPORT_COLUMN_KINDS = ['record', 'field', 'metadata', 'vector', 'suggestion', 'response'] as const
export type ExportColumnKind = (typeof EXPORT_COLUMN_KINDS)[number]

/** `type` is one of string, bool, int64, float64, timestamp, image, json, list and struct. */
export const ExportColumns = Items(Shape({ name: Text(), kind: OneOf(EXPORT_COLUMN_KINDS), type: Text() }))
export type ExportColumns = Static<typeof ExportColumns>

/** A complete export request. Defaults are filled in once, when the export is requested. */
export interface ExportOrder {
  format: ExportFormat
  columns: string[] | null
  responses: { of: (typeof RESPONSE_SOURCES)[number]; user_id: Id | null }
  statuses: (typeof RESPONSE_STATUSES)[number][]
  shape: 'wide' | 'long'
  search: SearchBody | null
  question: string | null
}

/**
 * Throws `invalid` if the request contradicts itself or the dataset. Column names are checked later, when the columns are known.
 */
export function toExportOrder(request: ExportRequest, rules: RecordRules): ExportOrder {
  const { format, columns = null, statuses, shape, search = null } = request
  const kind = KINDS[format]
  const of = request.responses?.of ?? (kind === 'documents' ? 'resolved' : 'all')
  const order: ExportOrder = {
    format,
    columns: columns && [...new Set(columns)],
    responses: { of, user_id: request.responses?.user_id ?? null },
    statuses: statuses ? [...new Set(statuses)] : [...RESPONSE_STATUSES],
    shape: shape ?? 'wide',
    search,
    question: kind === 'documents' ? findSpanQuestion(request.question ?? null, rules).name : null,
  }
  checkResponses(order, kind)
  if (kind !== 'table' && columns !== null) throw invalid(`Format \`${format}\` has no columns to choose`, ['columns'])
  if (kind !== 'table' && order.shape === 'long') throw invalid(`Format \`${format}\` has no long shape`, ['shape'])
  if (kind !== 'documents' && request.question != null) {
    throw invalid('Only the formats `conll` and `spacy` are about one question', ['question'])
  }
  return order
}

function checkResponses({ format, responses, shape }: ExportOrder, kind: string): void {
  const { of, user_id } = responses
  if ((of === 'user') !== (user_id !== null)) {
    throw invalid('`user_id` goes together with responses of `user`: give both or neither', ['responses', 'user_id'])
  }
  if (shape === 'long' && of !== 'all' && of !== 'user') {
    throw invalid('The long shape has a row for each response: it needs the responses of `all` or of one `user`', ['shape'])
  }
  if (kind === 'folder' && of !== 'all') {
    throw invalid('Format `disk` has the responses of `all`', ['responses', 'of'])
  }
  if (kind === 'documents' && of === 'none') {
    throw invalid(`Format \`${format}\` is made of responses: expected \`all\`, \`user\` or \`resolved\``, ['responses', 'of'])
  }
}

/** Returns the span question on a text field with this name, or the only one if no name is given. */
export function findSpanQuestion(name: string | null, { questions, fields }: RecordRules): QuestionRule {
  const marking = [...questions.values()].filter(({ type, settings }) => {
    const field = type.marks?.field(settings)
    return field !== undefined && fields.get(field)?.type.column.type === 'string'
  })
  const names = marking.map(question => `\`${question.name}\``)
  if (marking.length === 0) throw invalid('The dataset has no span question on a text field', ['format'])
  const found = name === null && marking.length === 1 ? marking[0] : marking.find(question => question.name === name)
  if (found) return found
  const what = name === null ? 'The dataset has several span questions' : `\`${name}\` is not a span question on a text field`
  throw invalid(`${what}. Expected one of: ${listed(names)}`, ['question'])
}
