/** Reads the records of a source dataset with their responses, suggestions and vectors, in batches. */
import { RECORD_STATUSES } from '@postil/domain/distribution'
import { DomainError } from '@postil/domain/errors'
import { prepareRecordRules, type RecordRules } from '@postil/domain/record-rules'
import { checkFields, checkMetadata, type RecordFields, type RecordMetadata } from '@postil/domain/records'
import { checkResponse, RESPONSE_STATUSES, type ResponseStatus, type ResponseValues } from '@postil/domain/responses'
import type { Id, Json } from '@postil/domain/schema'
import { checkSuggestion, SUGGESTION_TYPES, type SuggestionCreate } from '@postil/domain/suggestions'
import * as columns from './columns.ts'
import { RowProblem, toEnum, toId, toTimes } from './columns.ts'
import { type ImportProblems, takeRows } from './findings.ts'
import type { SourceDataset } from './read-datasets.ts'
import type { Source, SourceRow } from './source.ts'

interface Times {
  inserted_at: string
  updated_at: string
}

export interface SourceResponse extends Times {
  id: Id
  record_id: Id
  user_id: Id
  status: ResponseStatus
  values: ResponseValues
}

export interface SourceSuggestion extends Times {
  id: Id
  record_id: Id
  question_id: Id
  type: (typeof SUGGESTION_TYPES)[number] | null
  value: Json
  score: number | number[] | null
  agent: string | null
}

export interface SourceVector {
  record_id: Id
  vectors_settings_id: Id
  value: number[]
}

export interface SourceRecord extends Times {
  id: Id
  external_id: string | null
  status: string
  fields: RecordFields
  metadata: RecordMetadata | null
  responses: SourceResponse[]
  suggestions: SourceSuggestion[]
  vectors: SourceVector[]
}

const BATCH_RECORDS_MAX = 500
/** Records may contain images, so batches are small enough to be in memory several times. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024

/** Returns the ids of a dataset's records in the order of creation, grouped into batches. */
export async function listBatches(source: Source, datasetId: Id): Promise<Id[][]> {
  const text = `select id, ${source.sizeOf('fields')} as bytes from records where dataset_id`
  const rows = await source.allWith(text, [toKey(datasetId)], 'order by inserted_at, id')
  const batches: Id[][] = []
  let batch: Id[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += Number(row.bytes ?? 0)
    if (batch.length === 0) batches.push(batch)
    batch.push(String(row.id))
    if (batch.length < BATCH_RECORDS_MAX && bytes < BATCH_BYTES_MAX) continue
    batch = []
    bytes = 0
  }
  return batches
}

/** Id format that both databases accept. */
const toKey = (id: Id) => id.replaceAll('-', '')

export interface RecordReader {
  read(ids: readonly Id[]): Promise<SourceRecord[]>
  /**
   * Records which of them violate our rules. They are stored unchanged, because settings may have changed since and limits
   * differ.
   */
  noteBrokenRules(records: readonly SourceRecord[]): void
}

interface ReaderParts {
  source: Source
  checked: ImportProblems
  from: SourceDataset
  /** Ids of the imported users. */
  userIds: ReadonlySet<Id>
}

export function createRecordReader({ source, checked, from, userIds }: ReaderParts): RecordReader {
  const dimensions = new Map(from.vectorsSettings.map(({ id, dimensions }) => [id, dimensions]))
  const questionIds = new Set(from.questions.map(({ id }) => id))
  const rules = prepareRecordRules({ ...from, allowExtraMetadata: from.dataset.allow_extra_metadata })
  const readRows = (table: string, own: string, ids: readonly Id[]) =>
    source.allWith(`select id, record_id, ${own}, inserted_at, updated_at from ${table} where record_id`, ids)

  const read = async (ids: readonly Id[]): Promise<SourceRecord[]> => {
    const text = 'select id, external_id, status, fields, metadata, inserted_at, updated_at from records where id'
    const records = takeRows(checked, 'records', await source.allWith(text, ids), row => toRecord(row, from))
    const byId = new Map(records.map(record => [record.id, record]))
    const ofRecord = (row: SourceRow) => {
      const record = byId.get(toId(row, 'record_id'))
      if (!record) throw new RowProblem('its record is left out')
      return record
    }
    const responses = await readRows('responses', 'user_id, status, "values"', ids)
    takeRows(checked, 'responses', responses, row => ofRecord(row).responses.push(toResponse(row, userIds)))
    const suggestions = await readRows('suggestions', 'question_id, type, value, score, agent', ids)
    takeRows(checked, 'suggestions', suggestions, row => ofRecord(row).suggestions.push(toSuggestion(row, questionIds)))
    const vectors = await readRows('vectors', 'vector_settings_id, value', ids)
    takeRows(checked, 'vectors', vectors, row => ofRecord(row).vectors.push(toVector(row, dimensions)))
    const order = new Map(ids.map((id, index) => [toId({ id }, 'id'), index]))
    return records.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
  }
  const noteBrokenRules = (records: readonly SourceRecord[]) => {
    for (const record of records) noteBroken(checked, rules, record)
  }
  return { read, noteBrokenRules }
}

function toRecord(row: SourceRow, { dataset }: SourceDataset): SourceRecord {
  if (dataset.status !== 'ready') throw new RowProblem('its dataset is a draft, which has no records')
  return {
    id: toId(row, 'id'),
    external_id: columns.toNullableText(row, 'external_id'),
    status: toEnum(row, 'status', RECORD_STATUSES),
    fields: columns.toObject(row, 'fields'),
    metadata: columns.toNullableObject(row, 'metadata'),
    responses: [],
    suggestions: [],
    vectors: [],
    ...toTimes(row),
  }
}

function toResponse(row: SourceRow, userIds: ReadonlySet<Id>): SourceResponse {
  const user_id = toId(row, 'user_id')
  if (!userIds.has(user_id)) throw new RowProblem('its user is not there or is left out')
  const values = columns.toNullableObject(row, 'values') ?? {}
  for (const [name, answer] of Object.entries(values)) {
    const hasValue = answer !== null && typeof answer === 'object' && Object.hasOwn(answer, 'value')
    if (!hasValue) throw new RowProblem(`\`values\`: the answer to \`${name}\` has no \`value\``)
  }
  return {
    id: toId(row, 'id'),
    record_id: toId(row, 'record_id'),
    user_id,
    status: toEnum(row, 'status', RESPONSE_STATUSES),
    values: values as ResponseValues,
    ...toTimes(row),
  }
}

function toSuggestion(row: SourceRow, questionIds: ReadonlySet<Id>): SourceSuggestion {
  const question_id = toId(row, 'question_id')
  if (!questionIds.has(question_id)) throw new RowProblem('its question is not one of its dataset')
  const score = columns.toNullableJson(row, 'score')
  const scores = score === null ? [] : [score].flat()
  if (!scores.every(one => typeof one === 'number')) throw new RowProblem('`score` is not a number or a list of numbers')
  return {
    id: toId(row, 'id'),
    record_id: toId(row, 'record_id'),
    question_id,
    type: row.type === null ? null : toEnum(row, 'type', SUGGESTION_TYPES),
    value: columns.toJson(row, 'value'),
    score: score as SourceSuggestion['score'],
    agent: columns.toNullableText(row, 'agent'),
    ...toTimes(row),
  }
}

function toVector(row: SourceRow, dimensions: ReadonlyMap<Id, number>): SourceVector {
  const vectors_settings_id = toId(row, 'vector_settings_id')
  const length = dimensions.get(vectors_settings_id)
  if (length === undefined) throw new RowProblem('its settings are not of its dataset')
  const value = columns.toJson(row, 'value')
  if (!Array.isArray(value) || !value.every(Number.isFinite)) throw new RowProblem('`value` is not a list of finite numbers')
  if (value.length !== length) throw new RowProblem(`\`value\` has ${value.length} numbers, not ${length}`)
  return { record_id: toId(row, 'record_id'), vectors_settings_id, value: value as number[] }
}

function noteBroken({ notes }: ImportProblems, rules: RecordRules, record: SourceRecord): void {
  const note = (what: string, check: () => void) => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      notes.add(`${what}: ${error.explanation}`)
    }
  }
  note(`records ${record.id}`, () => {
    checkFields(record.fields, rules)
    checkMetadata(record.metadata, rules)
  })
  for (const response of record.responses) {
    note(`responses ${response.id}`, () => checkResponse(response, rules, record.fields))
  }
  for (const suggestion of record.suggestions) {
    note(`suggestions ${suggestion.id}`, () => checkSuggestion(suggestion as SuggestionCreate, rules, record.fields))
  }
}
