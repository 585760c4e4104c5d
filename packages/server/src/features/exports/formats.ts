/** Streams the bytes of an export in each format. */
import { type ExportFormat, type ExportOrder, findSpanQuestion } from '@postil/domain/exports'
import { CSV_BOM, toCsvRow } from '@postil/domain/exports/csv'
import { type SpanDocument, toConll, toSpacy } from '@postil/domain/exports/span-documents'
import { ownProperty } from '@postil/domain/own-property'
import { ByteWriter } from 'hyparquet-writer'
import { chooseColumns, type ExportColumn, type ExportedRecord, listColumns } from './columns.ts'
import { takeBytes, writeDisk, writeFolder } from './folders.ts'
import { createParquetWriter, listTypedColumns } from './parquet.ts'
import { type ExportSource, neededBy, readPages, toRows } from './read-records.ts'
import { submittedAnswers } from './response-columns.ts'

export const WRITERS: Record<ExportFormat, (source: ExportSource) => AsyncGenerator<Uint8Array>> = {
  jsonl: writeTable,
  csv: writeTable,
  parquet: writeParquet,
  datasets: writeFolder,
  disk: writeDisk,
  conll: source => writeDocuments(source, toConll),
  spacy: source => writeDocuments(source, toSpacy),
}

const bytesOf = (texts: readonly string[]): Uint8Array => Buffer.from(texts.join(''))

export function listPlainColumns({ settings, order, usernames }: Pick<ExportSource, 'settings' | 'order' | 'usernames'>) {
  return chooseColumns(listColumns(settings, { ...order, hasImages: false, usernames }), order.columns)
}

/** Text before the first row. */
export const headOf = ({ format }: Pick<ExportOrder, 'format'>, columns: readonly ExportColumn[]): string =>
  format === 'csv' ? CSV_BOM + toCsvRow(columns.map(({ name }) => name)) : ''

/** Encodes the rows of some records as JSON lines or CSV. */
export function rowsOf(records: readonly ExportedRecord[], order: ExportOrder, columns: readonly ExportColumn[]): Uint8Array {
  const toText = order.format === 'csv' ? toCsvRow : toJsonLine(columns)
  return bytesOf(toRows(records, order).map(({ record, response }) => toText(columns.map(({ read }) => read(record, response)))))
}

/** Concatenates the JSON text, because a column may be called `__proto__`. */
function toJsonLine(columns: readonly ExportColumn[]) {
  const keys = columns.map(({ name }) => JSON.stringify(name))
  return (cells: readonly unknown[]) =>
    `{${cells.map((cell, index) => `${keys[index]}:${JSON.stringify(cell ?? null)}`).join()}}\n`
}

async function* writeTable(source: ExportSource): AsyncGenerator<Uint8Array> {
  const columns = listPlainColumns(source)
  const head = headOf(source.order, columns)
  if (head !== '') yield bytesOf([head])
  for await (const records of readPages(source, neededBy(columns))) yield rowsOf(records, source.order, columns)
}

async function* writeParquet(source: ExportSource): AsyncGenerator<Uint8Array> {
  const columns = await listTypedColumns(source)
  const writer = new ByteWriter()
  const parquet = createParquetWriter(writer, columns)
  for await (const records of readPages(source, neededBy(columns))) {
    parquet.add(toRows(records, source.order))
    const bytes = takeBytes(writer)
    if (bytes.length > 0) yield bytes
  }
  parquet.end()
  yield takeBytes(writer)
}

/**
 * Writes one document per answer. Records without an answer are omitted, because they would look as though they contained no
 * spans.
 */
async function* writeDocuments(source: ExportSource, toText: (document: SpanDocument) => string): AsyncGenerator<Uint8Array> {
  const toDocuments = createDocumentMapper(source)
  for await (const records of readPages(source, { responses: true, suggestions: false, vectors: false })) {
    const texts = records.flatMap(toDocuments).map(toText)
    if (texts.length > 0) yield bytesOf(texts)
  }
}

function createDocumentMapper({ order, settings, usernames }: ExportSource): (record: ExportedRecord) => SpanDocument[] {
  const { name, type, settings: ofQuestion } = findSpanQuestion(order.question, settings.rules)
  const marks = type.marks
  if (!marks) throw new Error(`Question \`${name}\` marks nothing`)
  const field = marks.field(ofQuestion)
  return record => {
    const text = ownProperty(record.fields, field)
    if (typeof text !== 'string') return []
    const document = { id: record.row.external_id ?? record.row.id, text }
    if (order.responses.of === 'resolved') {
      const answers = submittedAnswers(record, name)
      return answers.length === 0 ? [] : [{ ...document, spans: marks.spans(type.resolution.of(answers).value), user: null }]
    }
    return record.responses.flatMap(({ values, user_id }): SpanDocument[] => {
      const answer = ownProperty(values, name)
      return answer ? [{ ...document, spans: marks.spans(answer.value), user: usernames.get(user_id) ?? user_id }] : []
    })
  }
}
