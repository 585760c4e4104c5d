/** Reads the records of an export page by page, all from one snapshot of the database. */
import { setImmediate } from 'node:timers/promises'
import type { ExportOrder } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import type { Queryable } from '../../storage/database.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { StoredDataset } from '../datasets/store.ts'
import { listRelations } from '../records/relations.ts'
import { listRecordsAfter, listRecordsByNumbers, type RecordRow } from '../records/store.ts'
import { type ExportColumn, type ExportedRecord, type ExportedResponse, toExportedRecord } from './columns.ts'

/** Records per page; each page needs one statement per table. */
export const PAGE_RECORDS = 200

export interface ExportSource {
  /** A snapshot of the database. */
  db: Queryable
  dataset: StoredDataset
  settings: DatasetSettings
  order: ExportOrder
  /** Search results in order; null for all records of the dataset. */
  recordNos: ArrayLike<number> | null
  /** Without `recordNos`: only records with higher numbers. */
  after?: number
  usernames: ReadonlyMap<Id, string>
  signal: AbortSignal
  /** Called with the number of records written. */
  onProgress(done: number): void
}

/** Related data that an export needs for each record. */
export interface NeededRelations {
  responses: boolean
  suggestions: boolean
  vectors: boolean
}

export const ALL_RELATIONS: NeededRelations = { responses: true, suggestions: true, vectors: true }

export const neededBy = (columns: readonly ExportColumn[]): NeededRelations => ({
  responses: columns.some(({ kind }) => kind === 'response'),
  suggestions: columns.some(({ kind }) => kind === 'suggestion'),
  vectors: columns.some(({ kind }) => kind === 'vector'),
})

/** Reports progress when the next page is requested, because the previous page has then been written. */
export async function* readPages(source: ExportSource, needed: NeededRelations): AsyncGenerator<ExportedRecord[]> {
  const { db, settings, order, signal, onProgress } = source
  const userId = order.responses.of === 'user' ? order.responses.user_id : null
  const statuses = new Set<string>(order.statuses)
  let done = 0
  for await (const rows of readRows(source)) {
    signal.throwIfAborted()
    const relationsOf = await listRelations(db, settings, rows, { ...needed, userId })
    yield rows.map(row => {
      const record = toExportedRecord(row, relationsOf(row))
      return { ...record, responses: record.responses.filter(({ status }) => statuses.has(status)) }
    })
    done += rows.length
    onProgress(done)
    // Yields to the event loop, because SQLite reads are synchronous and messages such as a cancellation must be processed in
    // between.
    await setImmediate()
  }
}

export async function* readRows(
  source: Pick<ExportSource, 'db' | 'dataset' | 'recordNos' | 'after'>,
): AsyncGenerator<RecordRow[]> {
  const { db, dataset, recordNos } = source
  if (recordNos !== null) {
    for (let start = 0; start < recordNos.length; start += PAGE_RECORDS) {
      const nos = Array.prototype.slice.call(recordNos, start, start + PAGE_RECORDS) as number[]
      yield await listRecordsByNumbers(db, nos)
    }
    return
  }
  let { after = 0 } = source
  while (true) {
    const rows = await listRecordsAfter(db, dataset.id, after, PAGE_RECORDS)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.no
  }
}

/** A row of the table: a record, and in the long shape one of its responses. */
export interface OutputRow {
  record: ExportedRecord
  response: ExportedResponse | null
}

/** In the long shape, a record without responses still gets one row, so that it is not lost. */
export function toRows(records: readonly ExportedRecord[], { shape }: Pick<ExportOrder, 'shape'>): OutputRow[] {
  return records.flatMap((record): OutputRow[] =>
    shape === 'wide' || record.responses.length === 0
      ? [{ record, response: null }]
      : record.responses.map(response => ({ record, response })),
  )
}
