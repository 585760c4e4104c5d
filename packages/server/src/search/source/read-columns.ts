/**
 * Reads all values of a dataset's columns, block by block, in the same form as in the documents of its records.
 *
 * The database aggregates the values of a block into one JSON list, because parsing it is faster than receiving as many rows.
 * Columns from the same rows are read in one pass. Columns are read in a snapshot, so that they belong to one change number.
 */
import type { Id } from '@postil/domain/schema'
import {
  answerValues,
  metadataValues,
  type SearchValue,
  suggestionScores,
  suggestionValues,
} from '@postil/domain/search/document'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { loadDataset } from '../../features/datasets/store.ts'
import type { Param, Queryable } from '../../storage/database.ts'
import { DATASET_NO, findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { ColumnBlock, ColumnValue } from '../columns/column-block.ts'
import type { ColumnKey } from '../columns/column-key.ts'

const RECORDS_PER_BLOCK = 10_000
/**
 * Smaller blocks for columns that are extracted from JSON: a block is one text, which would be too long with large metadata or
 * answers.
 */
const DOCUMENTS_PER_BLOCK = 1_000

/** Describes how a column is read from the tables. Columns of one pass differ only in their values. */
interface Source {
  recordsPerBlock: number
  /** The SQL after `from`. The alias of the records is `r`. */
  tables: string
  /** Conditions in addition to those on the records, and their parameters. */
  where: string
  params: Param[]
  /** SQL expression for the user, if the column has users. */
  user?: string
  /** SQL expression for the value as JSON, if the column has values. Null means that the row has no value. */
  value?: string
  toValue?(json: never): ColumnValue
}

/** Loads the settings that are needed to read a dataset's columns. */
export const loadSettings = async (db: Queryable, datasetId: Id): Promise<DatasetSettings> =>
  loadDatasetSettings(db, await loadDataset(db, datasetId))

interface KeyedBlock {
  key: ColumnKey
  block: ColumnBlock
}

/** Groups keys that are read together. Groups are in the order of their first keys. */
export const toPasses = (keys: readonly ColumnKey[]): ColumnKey[][] => [...Map.groupBy(keys, passOf).values()]

/** Columns with the same pass name are read from the same rows. */
function passOf(key: ColumnKey): string {
  switch (key.kind) {
    case 'record':
      // Ids are read before all other columns. External ids are separate because few records may have one.
      return ['id', 'external_id'].includes(key.property) ? key.property : 'record'
    case 'suggestion':
      return key.property === 'present' ? `present ${key.questionId}` : `suggestion ${key.questionId}`
    default:
      return key.kind
  }
}

/** Reads the columns of one pass of `toPasses`. Skips properties and questions that do not exist. */
export async function* readColumns(
  db: Queryable,
  dataset: { id: Id; settings: DatasetSettings },
  keys: readonly ColumnKey[],
): AsyncGenerator<KeyedBlock> {
  const columns: { key: ColumnKey; source: Source }[] = []
  for (const key of keys) {
    if (key.kind === 'flags') for await (const block of readFlags(db, dataset.id)) yield { key, block }
    const source = key.kind === 'flags' ? null : toSource(db, dataset.settings, key)
    if (source) columns.push({ key, source })
  }
  const first = columns[0]?.source
  if (!first) return
  const values = [...new Set(columns.flatMap(({ source }) => source.value ?? []))]
  const text = toSql(first, values)
  const datasetNo = await findDatasetNo(db, dataset.id)
  const size = Math.min(...columns.map(({ source }) => source.recordsPerBlock))
  for await (const { after, last } of listRanges(db, datasetNo, size)) {
    const row = await db.sql.get<Record<string, string | null>>(text, [datasetNo, after, last, ...first.params])
    if (!row?.nos) continue
    const rows = { recordNos: JSON.parse(`[${row.nos}]`), userIds: row.users?.split(',') ?? [] }
    const items = new Map(values.map((value, at) => [value, JSON.parse(`[${row[`items${at}`]}]`)]))
    for (const { key, source } of columns) yield { key, block: toBlock(source, rows, items.get(source.value ?? '')) }
  }
}

function toSql({ tables, where, user }: Source, values: readonly string[]): string {
  const columns = [
    { name: 'no', expression: 'r.no', joined: 'nos' },
    ...(user === undefined ? [] : [{ name: 'user_id', expression: user, joined: 'users' }]),
    ...values.map((expression, at) => ({ name: `item${at}`, expression, joined: `items${at}` })),
  ]
  const joined = columns.map(({ name, joined }) => `string_agg(coalesce(cast(${name} as text), 'null'), ',') as ${joined}`)
  return `select ${joined.join(', ')}
    from (select ${columns.map(({ name, expression }) => `${expression} as ${name}`).join(', ')} from ${tables}
      where r.dataset_no = ? and r.no > ? and r.no <= ?${where} order by r.no) as found`
}

type Rows = Pick<ColumnBlock, 'recordNos' | 'userIds'>

function toBlock(source: Source, rows: Rows, items: readonly unknown[] | undefined): ColumnBlock {
  if (items === undefined) return { ...rows, values: [] }
  if (items.includes(null)) {
    const isGiven = (_row: unknown, at: number) => items[at] !== null
    const given = { recordNos: rows.recordNos.filter(isGiven), userIds: rows.userIds.filter(isGiven) }
    return toBlock(source, given, items.filter(isGiven))
  }
  const { toValue } = source
  return { ...rows, values: toValue ? items.map(item => toValue(item as never)) : (items as ColumnValue[]) }
}

/** Splits the record numbers into ranges with `size` records each. */
async function* listRanges(
  db: Queryable,
  datasetNo: number | null,
  size: number,
): AsyncGenerator<{ after: number; last: number }> {
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit 1 offset ?'
  for (let after = 0; ; ) {
    const row = await db.sql.get<{ no: number }>(text, [datasetNo, after, size - 1])
    yield { after, last: row?.no ?? Number.MAX_SAFE_INTEGER }
    if (!row) return
    after = row.no
  }
}

function toSource(db: Queryable, settings: DatasetSettings, key: Exclude<ColumnKey, { kind: 'flags' }>): Source | null {
  switch (key.kind) {
    case 'record':
      return recordSource(db, key.property)
    case 'metadata':
      return metadataSource(settings, key.propertyId)
    case 'suggestion':
      return suggestionSource(db, settings, key)
    case 'responses':
      return { ...RESPONSES, value: textAsJson(db, 'p.status') }
    case 'response':
      return answerSource(settings, key.questionId)
  }
}

const textAsJson = (db: Queryable, expression: string) => `${db.dialect.toJson}(${expression})`

function recordSource(db: Queryable, property: Extract<ColumnKey, { kind: 'record' }>['property']): Source {
  const column = `r.${property}`
  const value = property === 'shuffle' ? column : textAsJson(db, column)
  const where = property === 'external_id' ? ' and r.external_id is not null' : ''
  return { recordsPerBlock: RECORDS_PER_BLOCK, tables: 'records r', where, params: [], value }
}

function metadataSource(settings: DatasetSettings, propertyId: Id): Source | null {
  const property = settings.documents.metadataProperties.find(({ id }) => id === propertyId)
  if (!property) return null
  return {
    recordsPerBlock: DOCUMENTS_PER_BLOCK,
    tables: 'records r',
    where: ' and r.metadata is not null',
    params: [],
    // Reads the whole object: SQL would have to parse it too, and property names can contain any characters.
    value: 'r.metadata',
    toValue: metadata => toColumnValue(metadataValues(metadata, property)),
  }
}

function suggestionSource(
  db: Queryable,
  settings: DatasetSettings,
  { questionId, property }: Extract<ColumnKey, { kind: 'suggestion' }>,
): Source | null {
  const question = settings.documents.questions.find(({ id }) => id === questionId)
  if (!question) return null
  const source: Source = {
    recordsPerBlock: RECORDS_PER_BLOCK,
    // A cross join makes SQLite go from the records of the block to their suggestions, not the other way round.
    tables: 'records r cross join suggestions s',
    where: ' and s.record_no = r.no and s.question_no = ?',
    params: [settings.questionNos.get(questionId) as number],
  }
  if (property === 'present') return source
  const recordsPerBlock = DOCUMENTS_PER_BLOCK
  if (property === 'value')
    return { ...source, recordsPerBlock, value: 's.value', toValue: value => toColumnValue(suggestionValues(value, question)) }
  if (property === 'score')
    return { ...source, recordsPerBlock, value: 's.score', toValue: score => toColumnValue(suggestionScores(score)) }
  return { ...source, value: textAsJson(db, `s.${property}`) }
}

const RESPONSES: Source = {
  recordsPerBlock: RECORDS_PER_BLOCK,
  tables: 'records r cross join responses p',
  where: ' and p.record_no = r.no',
  params: [],
  user: 'p.user_id',
}

/** The source of both answer columns of a question. An answer is present if it has values. */
function answerSource(settings: DatasetSettings, questionId: Id): Source | null {
  const question = settings.documents.questions.find(({ id }) => id === questionId)
  if (!question) return null
  const toValue = (values: never) => toColumnValue(answerValues(values, question))
  return { ...RESPONSES, recordsPerBlock: DOCUMENTS_PER_BLOCK, value: 'p."values"', toValue }
}

const toColumnValue = (values: SearchValue[]): ColumnValue => (values.length === 1 ? (values[0] as SearchValue) : values)

const FLAGS_PER_BLOCK = 10_000

/** Iterates over the flags instead of the records, because there are few flags. */
async function* readFlags(db: Queryable, datasetId: Id): AsyncGenerator<ColumnBlock> {
  const text = `select r.no, f.record_id, f.user_id from record_flags f cross join records r
    where r.id = f.record_id and r.dataset_no = ${DATASET_NO} and (f.record_id, f.user_id) > (?, ?)
    order by f.record_id, f.user_id limit ?`
  let [recordId, userId] = ['', '']
  for (;;) {
    const rows = await db.sql.all<{ no: number; record_id: Id; user_id: Id }>(text, [
      datasetId,
      recordId,
      userId,
      FLAGS_PER_BLOCK,
    ])
    const last = rows.at(-1)
    if (!last) return
    yield { recordNos: rows.map(({ no }) => no), userIds: rows.map(({ user_id }) => user_id), values: [] }
    recordId = last.record_id
    userId = last.user_id
  }
}
