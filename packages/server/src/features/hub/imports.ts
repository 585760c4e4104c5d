/**
 * Imports in the hub thread: reads a batch of rows, converts and checks them, and passes the result to the writer. This thread
 * only reads from the database.
 */
import { DomainError, ShapeError } from '@postil/domain/errors'
import type { SkippedRow } from '@postil/domain/hub'
import { listed } from '@postil/domain/message-values'
import type { RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { type DatasetSettings, loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset } from '../datasets/store.ts'
import { checkCharacters, checkChatLengths, checkNewRecord } from '../records/check-item.ts'
import { prepareUpsert } from '../records/prepare.ts'
import { type Row, toRecord } from './convert.ts'
import { HubRefusal } from './failures.ts'
import type { HubClient } from './hub-client.ts'
import type { HubSource, ImportPayload } from './jobs.ts'
import { openParquetFile, type ParquetFile } from './read-parquet.ts'
import { findSplit } from './sources.ts'

export const BATCH_ROWS_MAX = 100
/** Limit of converted rows per batch; rows with images are large. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024

export interface ImportBatch {
  source: HubSource
  total: number
  /** Rows in the batch, including skipped ones. */
  rows: number
  skipped: SkippedRow[]
  /** Output of the bulk upsert's `prepare` for the remaining rows; null if there are none. */
  prepared: Uint8Array | null
}

export interface HubImportReader {
  /** Returns the batch that follows the rows already done. */
  next(payload: ImportPayload): Promise<ImportBatch>
}

interface ImportParts {
  ctx: Context
  hub: HubClient
  /** Same validation as for request bodies. Throws a ShapeError. */
  checkShape(item: unknown): RecordUpsert
}

export function createHubImport({ ctx, hub, checkShape }: ImportParts): HubImportReader {
  const { findSource, readRows } = createRowReader(hub, ctx.config.hubImportRowsMax)
  return {
    next: async payload => {
      const source = payload.source ?? (await findSource(payload))
      const total = source.files.reduce((sum, { rows }) => sum + rows, 0)
      const end = Math.min(total, payload.done + BATCH_ROWS_MAX)
      const settings = await loadSettings(ctx, payload.dataset_id)
      const batch = createBatch(ctx, settings, checkShape)
      let at = payload.done
      while (at < end && !batch.isFull()) {
        const { rows, file } = await readRows(payload, source, at)
        for (const row of rows.slice(0, end - at)) {
          batch.add(at, () => toRecord(row, at, { ...payload, features: file.features, rules: settings.rules }))
          at++
          if (batch.isFull()) break
        }
      }
      const { items, skipped } = batch.take()
      const prepared = items.length === 0 ? null : await prepareUpsert(ctx, payload.dataset_id, items)
      return { source, total, rows: at - payload.done, skipped, prepared }
    },
  }
}

/** Reads the rows of a split. Keeps files open and caches decoded rows until they are passed on. */
function createRowReader(hub: HubClient, rowsMax: number) {
  const files = new Map<string, ParquetFile>()
  /** Rows that are decoded but not passed on yet. */
  let decoded: { start: number; rows: Row[]; file: ParquetFile } | null = null

  const open = async (name: string, revision: string, path: string): Promise<ParquetFile> => {
    const known = files.get(path)
    if (known) return known
    const opened = await openParquetFile(await hub.openFile(name, revision, path), path)
    files.set(path, opened)
    return opened
  }

  async function findSource({ name, subset, split, mapping }: ImportPayload): Promise<HubSource> {
    const { revision, paths } = await findSplit(hub, { name, subset, split })
    const source: HubSource = { revision, files: [] }
    let left = rowsMax
    for (const path of paths) {
      if (left === 0) break
      const file = await open(name, revision, path)
      checkColumns(mapping, file, path)
      const rows = Math.min(left, file.rows)
      source.files.push({ path, rows })
      left -= rows
    }
    return source
  }

  /** Returns the rows of the split from `start` on, as many as are decoded together. */
  async function readRows(payload: ImportPayload, source: HubSource, start: number): Promise<{ rows: Row[]; file: ParquetFile }> {
    if (decoded && start >= decoded.start && start < decoded.start + decoded.rows.length) {
      return { rows: decoded.rows.slice(start - decoded.start), file: decoded.file }
    }
    let first = 0
    for (const { path, rows: size } of source.files) {
      if (start < first + size) {
        const file = await open(payload.name, source.revision, path)
        const rows = await file.read(columnsOf(payload.mapping), start - first, size)
        decoded = { start, rows, file }
        return { rows, file }
      }
      first += size
    }
    throw new RangeError(`row ${start} is beyond the end of the split`)
  }

  return { findSource, readRows }
}

const columnsOf = ({ fields, metadata = [], suggestions = [], external_id }: ImportPayload['mapping']): string[] => [
  ...new Set([
    ...[...fields, ...metadata, ...suggestions].map(({ source }) => source),
    ...(external_id == null ? [] : [external_id]),
  ]),
]

function checkColumns(mapping: ImportPayload['mapping'], { columns }: ParquetFile, path: string): void {
  const missing = columnsOf(mapping).filter(column => !columns.includes(column))
  if (missing.length === 0) return
  throw new HubRefusal(`\`${path}\` has no column ${listed(missing.map(column => `\`${column}\``))}. Columns: ${listed(columns)}`)
}

async function loadSettings({ db }: Context, datasetId: Id): Promise<DatasetSettings> {
  const settings = await db.snapshot(async snapshot => {
    const dataset = await findDataset(snapshot, datasetId)
    return dataset && loadDatasetSettings(snapshot, dataset)
  })
  if (!settings) throw new HubRefusal('The dataset was deleted')
  return settings
}

const NOBODY = new Set<string>()

/** Collects the items of a batch, and the rows that cannot be stored. */
function createBatch(ctx: Context, { rules }: DatasetSettings, checkShape: ImportParts['checkShape']) {
  const items = new Map<string, { rowNo: number; item: RecordUpsert }>()
  const skipped: SkippedRow[] = []
  let bytes = 0
  const check = (item: RecordUpsert) => {
    const json = checkCharacters(item)
    checkChatLengths(ctx, [item], () => [])
    checkNewRecord(item, rules, NOBODY)
    return { item, json }
  }
  return {
    isFull: () => bytes >= BATCH_BYTES_MAX,
    add: (rowNo: number, convert: () => RecordUpsert) => {
      try {
        const { item, json } = check(checkShape(convert()))
        const key = item.external_id ?? ''
        const earlier = items.get(key)
        if (earlier) skipped.push({ row: earlier.rowNo, reason: `Row ${rowNo} has the same external id and replaces it` })
        items.set(key, { rowNo, item })
        bytes += json.length
      } catch (error) {
        skipped.push({ row: rowNo, reason: reasonOf(error) })
      }
    },
    take: () => ({ items: Array.from(items.values(), ({ item }) => item), skipped }),
  }
}

/** Rethrows errors that are not about the row. */
function reasonOf(error: unknown): string {
  if (error instanceof DomainError) return error.explanation
  if (!(error instanceof ShapeError)) throw error
  const [problem] = error.problems
  return problem ? `at ${problem.loc.join('.')}: ${problem.msg}` : error.message
}
