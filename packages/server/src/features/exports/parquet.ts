/** Writes rows to Parquet, one row group at a time. */
import { setImmediate } from 'node:timers/promises'
import type { Json } from '@postil/domain/schema'
import { ParquetWriter, type Writer } from 'hyparquet-writer'
import { hasDataUrls } from '../records/store.ts'
import { chooseColumns, type ExportColumn, listColumns, toExportedRecord } from './columns.ts'
import { createJsonShape } from './json-shape.ts'
import { toCell, toElements, toFeature } from './parquet-columns.ts'
import { type ExportSource, type OutputRow, readRows } from './read-records.ts'

/** Rows per row group, unless the rows are large. */
const GROUP_ROWS_MAX = 1_000
const GROUP_BYTES_MAX = 16 * 1024 * 1024

/**
 * Lists the columns of the export with their types. Fields of any shape get a type from their values, which requires an extra
 * pass over the records.
 */
export async function listTypedColumns(source: ExportSource): Promise<ExportColumn[]> {
  const { db, dataset, settings, order, usernames, signal } = source
  const isPictured = settings.fields.some(({ name }) => settings.rules.fields.get(name)?.type.column.type === 'image')
  const hasImages = isPictured && (await hasDataUrls(db, dataset.id))
  const columns = chooseColumns(listColumns(settings, { ...order, hasImages, usernames }), order.columns)
  const shaped = columns.filter(({ type }) => type === 'json').map(column => ({ column, shape: createJsonShape() }))
  if (shaped.length === 0) return columns
  for await (const rows of readRows(source)) {
    signal.throwIfAborted()
    for (const record of rows.map(row => toExportedRecord(row, {}))) {
      for (const { column, shape } of shaped) shape.add(column.read(record, null))
    }
    if (shaped.every(({ shape }) => shape.isFinal())) break
    await setImmediate()
  }
  const types = new Map(shaped.map(({ column, shape }) => [column.name, shape.type()]))
  return columns.map(column => ({ ...column, type: types.get(column.name) ?? column.type }))
}

export interface ParquetFileWriter {
  add(rows: readonly OutputRow[]): void
  bytes(): number
  end(): void
}

/** Writes to `writer`, which the caller may empty after each call. */
export function createParquetWriter(writer: Writer, columns: readonly ExportColumn[]): ParquetFileWriter {
  const parquet = new ParquetWriter({ writer, ...toSchema(columns), createdBy: 'postil' })
  let waiting: OutputRow[] = []
  let waitingBytes = 0
  const flush = () => {
    if (waiting.length === 0) return
    const columnData = columns.map(({ name, type, read }) => ({
      name,
      data: waiting.map(({ record, response }) => toCell(read(record, response), type)),
    }))
    parquet.write({ columnData, rowGroupSize: waiting.length })
    waiting = []
    waitingBytes = 0
  }
  return {
    add: rows => {
      for (const row of rows) {
        waiting.push(row)
        const { row: stored, vectors } = row.record
        waitingBytes += stored.fields.length + 8 * vectors.values().reduce((sum, vector) => sum + vector.length, 0)
        if (waiting.length >= GROUP_ROWS_MAX || waitingBytes >= GROUP_BYTES_MAX) flush()
      }
    },
    bytes: () => writer.offset,
    end: () => {
      flush()
      parquet.finish()
    },
  }
}

function toSchema(columns: readonly ExportColumn[]) {
  const features: { [name: string]: Json } = Object.fromEntries(columns.map(({ name, type }) => [name, toFeature(type)]))
  return {
    schema: [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(({ name, type }) => toElements(name, type))],
    kvMetadata: [{ key: 'huggingface', value: JSON.stringify({ info: { features } }) }],
  }
}
