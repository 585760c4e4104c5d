/** Reads the texts of a dataset's records from the tables in the order of record numbers. */
import type { Id } from '@postil/domain/schema'
import { textPieces } from '@postil/domain/search/document'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import type { Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import type { TextDocument } from '../engine.ts'

/** Limits of a batch, whichever is reached first. A batch has at least one record. */
const RECORDS_PER_PIECE = 10_000
const BYTES_PER_PIECE = 4 * 1024 * 1024

export interface DatasetWithSettings {
  id: Id
  settings: DatasetSettings
}

interface PieceOptions {
  /** The batch starts after this record number. */
  after: number
  /** Locks the records until the transaction ends, so that their texts cannot change before they are written elsewhere. */
  isLocked: boolean
}

/** Reads the texts of the next records; empty after the last one. */
export async function readTexts(
  db: Queryable,
  { id, settings }: DatasetWithSettings,
  { after, isLocked }: PieceOptions,
): Promise<TextDocument[]> {
  // Selects the sizes first, because databases return the size of a text without reading it.
  const datasetNo = await findDatasetNo(db, id)
  const tables = 'records r join record_fields f on f.record_no = r.no where r.dataset_no = ? and r.no > ?'
  const sizes = `select r.no, octet_length(f.fields) as bytes from ${tables} order by r.no limit ?`
  const lock = isLocked ? db.dialect.forUpdate : ''
  const rows = await db.sql.all<{ no: number; bytes: number }>(sizes + lock, [datasetNo, after, RECORDS_PER_PIECE])
  const last = findLast(rows)
  if (last === null) return []
  const text = `select r.no, f.fields from ${tables} and r.no <= ? order by r.no`
  const records = await db.sql.all<{ no: number; fields: string }>(text, [datasetNo, after, last])
  return records.map(({ no, fields }) => toTextDocument(settings, no, fields))
}

function findLast(rows: readonly { no: number; bytes: number }[]): number | null {
  let bytes = 0
  let last: number | null = null
  for (const row of rows) {
    bytes += row.bytes
    if (last !== null && bytes > BYTES_PER_PIECE) break
    last = row.no
  }
  return last
}

function toTextDocument({ documents }: DatasetSettings, recordNo: number, fields: string): TextDocument {
  const parsed = JSON.parse(fields)
  return { recordNo, pieces: documents.textFields.map(field => textPieces(parsed, field)) }
}
