/**
 * All values of columns of a dataset, block by block, as the documents of its records have them.
 *
 * The database joins the values of a block into one JSON list: parsing that takes less than receiving as many rows. Columns that come
 * from the same rows are read in one pass over them. Columns are read inside a snapshot, so that they belong to one change number.
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
/** For columns that are taken out of JSON: a block is one text, which would grow too long with large metadata or answers. */
const DOCUMENTS_PER_BLOCK = 1_000

/** How a column is read from the tables. Columns of one pass differ in their values only. */
interface Source {
  recordsPerBlock: number
  /** After `from`; the records are `r`. */
  tables: string
  /** Conditions beside those on the records, and their params. */
  where: string
  params: Param[]
  /** The expression for the user, if there is one. */
  user?: string
  /** The expression for the value as JSON, if there is one. Rows in which it is null have no value. */
  value?: string
  toValue?(json: never): ColumnValue
}

/** What must be known of a dataset to read its columns. */
export const loadSettings = async (db: Queryable, datasetId: Id): Promise<DatasetSettings> =>
  loadDatasetSettings(db, await loadDataset(db, datasetId))

interface KeyedBlock {
  key: ColumnKey
  block: ColumnBlock
}

/** Keys that are read together, in the order of their first ones. */
export const toPasses = (keys: readonly ColumnKey[]): ColumnKey[][] => [...Map.groupBy(keys, passOf).values()]

/** Columns with the same name come from the same rows. */
function passOf(key: ColumnKey): string {
  switch (key.kind) {
    case 'record':
      // Ids are read before all others, and few records may have an external id.
      return ['id', 'external_id'].includes(key.property) ? key.property : 'record'
    case 'suggestion':
      return key.property === 'present' ? `present ${key.questionId}` : `suggestion ${key.questionId}`
    default:
      return key.kind
  }
}

/** One pass of `toPasses`. Nothing for properties and questions that do not exist. */
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

/** Ranges of record numbers that hold so many records each. */
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
    // The whole object: SQL would parse it too, and names of properties may be anything.
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
    // A cross join, because SQLite then goes from the records of the block to their suggestions, and not the other way.
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

/** For both columns of a question's answers: an answer is present if it has values. */
function answerSource(settings: DatasetSettings, questionId: Id): Source | null {
  const question = settings.documents.questions.find(({ id }) => id === questionId)
  if (!question) return null
  const toValue = (values: never) => toColumnValue(answerValues(values, question))
  return { ...RESPONSES, recordsPerBlock: DOCUMENTS_PER_BLOCK, value: 'p."values"', toValue }
}

const toColumnValue = (values: SearchValue[]): ColumnValue => (values.length === 1 ? (values[0] as SearchValue) : values)

const FLAGS_PER_BLOCK = 10_000

/** Flags are few: they are walked, and not the records. */
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
