/** The columns of an exported dataset, in order. Files and hub exports share this list. */
import type { ColumnType } from '@postil/domain/columns'
import { invalid } from '@postil/domain/errors'
import type { ExportColumnKind, ExportOrder } from '@postil/domain/exports'
import { listed } from '@postil/domain/message-values'
import { ownProperty } from '@postil/domain/own-property'
import type { RecordFields, RecordMetadata } from '@postil/domain/records'
import type { Id, Json } from '@postil/domain/schema'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { Relations } from '../records/record-json.ts'
import type { RecordRow } from '../records/store.ts'
import { listResponseColumns } from './response-columns.ts'

export interface ExportedResponse {
  user_id: Id
  status: string
  values: Record<string, { value: Json }>
  updated_at: string
}

/** A record with all related data, parsed once for all columns. */
export interface ExportedRecord {
  row: RecordRow
  fields: RecordFields
  metadata: RecordMetadata
  responses: ExportedResponse[]
  /** By question number. */
  suggestions: ReadonlyMap<number, { value: Json; score: Json; agent: string | null }>
  /** By number of the vectors settings. */
  vectors: ReadonlyMap<number, readonly number[]>
}

export interface ExportColumn {
  name: string
  kind: ExportColumnKind
  type: ColumnType
  /** `response` is the response of the row in the long shape. */
  read(record: ExportedRecord, response: ExportedResponse | null): Json | undefined
}

export function toExportedRecord(row: RecordRow, { responses = [], suggestions = [], vectors = [] }: Relations): ExportedRecord {
  return {
    row,
    fields: JSON.parse(row.fields),
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    responses: responses.map(({ user_id, status, values, updated_at }) => ({
      user_id,
      status,
      values: JSON.parse(values) ?? {},
      updated_at,
    })),
    suggestions: new Map(
      suggestions.map(({ question_no, value, score, agent }) => [
        question_no,
        { value: JSON.parse(value), score: score === null ? null : JSON.parse(score), agent },
      ]),
    ),
    vectors: new Map(vectors.map(({ vectors_settings_no, value }) => [vectors_settings_no, Array.from(value)])),
  }
}

export interface ColumnsOptions extends Pick<ExportOrder, 'responses' | 'shape'> {
  /**
   * True if image columns contain data URLs. Otherwise image URLs are exported as text, because readers of an image column would
   * download every image from its host.
   */
  hasImages: boolean
  /** Used by the long shape only. */
  usernames: ReadonlyMap<Id, string>
}

export function listColumns(settings: DatasetSettings, options: ColumnsOptions): ExportColumn[] {
  const { rules, fields, questions, metadataProperties, vectorsSettings } = settings
  return withOwnNames([
    { name: 'id', kind: 'record', type: 'string', read: ({ row }) => row.external_id },
    { name: 'status', kind: 'record', type: 'string', read: ({ row }) => row.status },
    { name: 'inserted_at', kind: 'record', type: 'timestamp', read: ({ row }) => row.inserted_at },
    { name: 'updated_at', kind: 'record', type: 'timestamp', read: ({ row }) => row.updated_at },
    { name: '_server_id', kind: 'record', type: 'string', read: ({ row }) => row.id },
    ...fields.map(
      ({ name }): ExportColumn => ({
        name,
        kind: 'field',
        type: toFieldType(rules.fields.get(name)?.type.column.type ?? 'json', options.hasImages),
        read: record => ownProperty(record.fields, name),
      }),
    ),
    ...listResponseColumns(settings, options),
    ...questions.flatMap(({ no, name }) => listSuggestionColumns(no, name, settings)),
    ...metadataProperties.map(
      ({ name }): ExportColumn => ({
        name: `metadata.${name}`,
        kind: 'metadata',
        type: rules.metadata.get(name)?.type.column.type ?? 'json',
        read: record => asTerms(ownProperty(record.metadata, name)),
      }),
    ),
    ...vectorsSettings.map(
      ({ no, name }): ExportColumn => ({
        name: `vector.${name}`,
        kind: 'vector',
        type: { list: 'float64' },
        read: ({ vectors }) => vectors.get(no) as number[] | undefined,
      }),
    ),
  ])
}

/** A text that an import would take for a list is written as a list of one. */
const asTerms = (value: Json | undefined): Json | undefined =>
  typeof value === 'string' && /^\s*[[{]/.test(value) ? [value] : value

/**
 * A field may be called `id` or `topic.suggestion`. If two columns have the same name, the later one gets its kind as a prefix.
 */
function withOwnNames(columns: readonly ExportColumn[]): ExportColumn[] {
  const taken = new Set<string>()
  return columns.map(column => {
    let { name } = column
    while (taken.has(name)) name = `${column.kind}.${name}`
    taken.add(name)
    return { ...column, name }
  })
}

const toFieldType = (type: ColumnType, hasImages: boolean): ColumnType => (type === 'image' && !hasImages ? 'string' : type)

function listSuggestionColumns(no: number, name: string, { rules }: DatasetSettings): ExportColumn[] {
  const { column, listValued } = rules.questions.get(name)?.type ?? { column: { type: 'json' as const }, listValued: false }
  const kind = 'suggestion'
  return [
    { name: `${name}.suggestion`, kind, type: column.type, read: ({ suggestions }) => suggestions.get(no)?.value },
    { name: `${name}.suggestion.agent`, kind, type: 'string', read: ({ suggestions }) => suggestions.get(no)?.agent },
    {
      name: `${name}.suggestion.score`,
      kind,
      type: listValued ? { list: 'float64' } : 'float64',
      read: ({ suggestions }) => suggestions.get(no)?.score,
    },
  ]
}

const NOBODY: ReadonlyMap<Id, string> = new Map()
const SHAPES: Pick<ExportOrder, 'responses' | 'shape'>[] = [
  { shape: 'wide', responses: { of: 'all', user_id: null } },
  { shape: 'wide', responses: { of: 'user', user_id: '' } },
  { shape: 'wide', responses: { of: 'resolved', user_id: null } },
  { shape: 'long', responses: { of: 'all', user_id: null } },
]

/**
 * Throws `invalid` if a name is not a column of the dataset. Response columns of other shapes are accepted but not exported, so
 * that a list of columns remains valid when the shape changes.
 */
export function checkColumns(order: ExportOrder, settings: DatasetSettings): void {
  if (order.columns === null) return
  const namesOf = (shape: (typeof SHAPES)[number]) =>
    listColumns(settings, { ...shape, hasImages: false, usernames: NOBODY }).map(({ name }) => name)
  const own = namesOf(order)
  const known = new Set([...own, ...SHAPES.flatMap(namesOf)])
  const at = order.columns.findIndex(name => !known.has(name))
  if (at >= 0) {
    throw invalid(`\`${order.columns[at]}\` is not a column of this dataset. Columns: ${listed(own)}`, ['columns', at])
  }
  if (!order.columns.some(name => own.includes(name))) {
    throw invalid(`None of the columns belongs to an export of this shape. Columns: ${listed(own)}`, ['columns'])
  }
}

/** Returns the requested columns in the requested order. */
export function chooseColumns(columns: readonly ExportColumn[], names: readonly string[] | null): ExportColumn[] {
  if (names === null) return [...columns]
  const byName = new Map(columns.map(column => [column.name, column]))
  return names.flatMap(name => byName.get(name) ?? [])
}
