/**
 * File imports in the import thread: reads a batch of rows, converts and checks them, and passes the result to the writer. This
 * thread only reads from the database, and writes the file of rejected rows.
 */
import { columnsOfMapping, IMPORT_ERRORS_MAX } from '@postil/domain/imports'
import { listed } from '@postil/domain/message-values'
import type { RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import type { Context } from '../../context.ts'
import { loadDatasetSettings } from '../datasets/settings.ts'
import { findDataset } from '../datasets/store.ts'
import { FileGone, readFileRange } from '../files/read.ts'
import { findFile } from '../files/store.ts'
import { HubRefusal } from '../hub/failures.ts'
import { prepareUpsert } from '../records/prepare.ts'
import { listExternalIdsIn } from '../records/store.ts'
import { listResponders } from '../users/store.ts'
import { createBatch } from './batch.ts'
import type { FileBatch, FileImportPayload } from './jobs.ts'
import { writeRejects } from './rejects.ts'
import { openTable } from './tables/open-table.ts'
import type { ByteFile, Table, TableRow } from './tables/table.ts'

export interface FileImport {
  /** Returns the batch that follows the stored rows, or null at the end of the file. */
  next(payload: FileImportPayload): Promise<FileBatch | null>
}

interface ImportParts {
  ctx: Context
  checkShape(item: unknown): RecordUpsert
}

export const UPLOAD_GONE = 'The uploaded file was deleted, or has expired. Upload it again'

export function createFileImport({ ctx, checkShape }: ImportParts): FileImport {
  const reading = createRowSource(ctx)
  return {
    next: async payload => {
      const rejectsLeft = (payload.stop_after_rejects ?? Number.POSITIVE_INFINITY) - payload.rows.rejected
      if (rejectsLeft <= 0) throw new HubRefusal(`Stopped after ${payload.rows.rejected} rejected rows`)
      try {
        const table = await reading.open(payload)
        const rows = await reading.take(payload)
        if (rows.length === 0) return null
        return await toBatch({ ctx, checkShape, payload, table, rejectsLeft, rows, giveBack: reading.giveBack })
      } catch (error) {
        throw error instanceof FileGone ? new HubRefusal(UPLOAD_GONE) : error
      }
    },
  }
}

/** Limits of rows read together. Parsed JSON can take twenty times its bytes, and the last row can have 16 MiB more. */
const ROWS_TAKEN = 100
const BYTES_TAKEN = 8 * 1024 * 1024

/** The open table and its read position. Rows that were read but not processed are buffered. */
function createRowSource(ctx: Context) {
  let table: Table | null = null
  let rows: AsyncGenerator<TableRow> | null = null
  let held: TableRow[] = []
  /** Number of the last row taken; the next one follows it. */
  let at = -1

  async function open(payload: FileImportPayload): Promise<Table> {
    if (table) return table
    table = await openTable(await openUpload(ctx, payload.upload_id), payload.source, ctx.config)
    const missing = columnsOfMapping(payload.mapping).filter(column => !table?.columns.includes(column))
    if (missing.length === 0) return table
    const names = listed(missing.map(column => `\`${column}\``))
    throw new HubRefusal(`The file has no column ${names}. Columns: ${listed([...table.columns.slice(0, 50)])}`)
  }

  return {
    open,
    take: async ({ cursor, mapping }: FileImportPayload): Promise<TableRow[]> => {
      const opened = table
      if (!opened) return []
      // An earlier attempt has read beyond the rows that were stored, so reading restarts at the cursor.
      if (rows === null || at !== (cursor?.row ?? 0)) {
        rows = opened.rows(cursor, columnsOfMapping(mapping))
        held = []
      }
      while (held.length < ROWS_TAKEN) {
        const { value, done } = await rows.next()
        if (done) break
        held.push(value)
        if (value.end.byte - (held[0]?.end.byte ?? 0) > BYTES_TAKEN) break
      }
      const taken = held
      held = []
      at = taken.at(-1)?.no ?? at
      return taken
    },
    /** Returns unused rows at the end to the buffer, for the next batch. */
    giveBack: (left: readonly TableRow[]) => {
      held = [...left]
      const [first] = left
      if (first) at = first.no - 1
    },
  }
}

export async function openUpload(ctx: Context, uploadId: Id): Promise<ByteFile> {
  const file = await findFile(ctx.db, uploadId)
  if (!file || file.size === null || file.received !== file.size) throw new HubRefusal(UPLOAD_GONE)
  const read = (start: number, end: number) => readFileRange(ctx, uploadId, { start, end })
  return { name: file.name, size: file.size, read }
}

interface BatchInput extends ImportParts {
  payload: FileImportPayload
  table: Table
  rejectsLeft: number
  rows: TableRow[]
  giveBack(left: readonly TableRow[]): void
}

async function toBatch({ ctx, checkShape, payload, table, rejectsLeft, rows, giveBack }: BatchInput): Promise<FileBatch> {
  const { dataset_id, actor_id, mapping, name, dry_run, on_conflict } = payload
  const { rules, users } = await loadRules(ctx, payload)
  const options = { mapping, rules, name, actorId: actor_id, users }
  const known = new Set<string>()
  const open = () =>
    createBatch({ ctx, options, checkShape, rejectsLeft, isSkipped: id => on_conflict === 'skip' && known.has(id) })
  // Converts the rows twice if needed: one query finds the existing records for all rows, and it needs their external ids.
  const fill = (limit = rows.length) => {
    const batch = open()
    let used = 0
    while (used < limit && !batch.isFull() && batch.add(rows[used] as TableRow)) used++
    return { batch, used }
  }
  let filled = fill()
  if (on_conflict === 'skip' || dry_run) {
    for (const id of await listExternalIdsIn(ctx.db, dataset_id, [...filled.batch.items.keys()])) known.add(id)
    if (on_conflict === 'skip' && known.size > 0) filled = fill(filled.used)
  }
  const { batch, used } = filled
  giveBack(rows.slice(used))
  const end = (rows[used - 1] as TableRow).end
  const items = [...batch.items.values()]
  const columns = table.source.format === 'parquet' ? columnsOfMapping(mapping) : [...table.columns]
  const wouldUpdate = dry_run ? items.filter(({ external_id }) => known.has(external_id ?? '')).length : 0
  return {
    source: table.source,
    columns,
    cursor: end,
    done: Math.min(end.byte, payload.total),
    ...batch.counts,
    wouldCreate: dry_run ? items.length - wouldUpdate : 0,
    wouldUpdate,
    rejected: batch.rejected.length,
    errors: batch.rejected.slice(0, IMPORT_ERRORS_MAX).map(({ values: _values, ...error }) => error),
    rejects: await writeRejects(ctx, payload.rejects, { rejected: batch.rejected, columns }),
    externalIds: [...batch.items.keys()],
    prepared: items.length === 0 || dry_run ? null : await prepareUpsert(ctx, dataset_id, items),
  }
}

async function loadRules({ db }: Context, { dataset_id, mapping }: FileImportPayload) {
  const loaded = await db.snapshot(async snapshot => {
    const dataset = await findDataset(snapshot, dataset_id)
    if (!dataset) return null
    const { rules } = await loadDatasetSettings(snapshot, dataset)
    const hasUsers = (mapping.responses ?? []).some(({ user }) => user != null)
    return { rules, users: hasUsers ? await listResponders(snapshot, dataset.workspace_id) : new Map<string, Id>() }
  })
  if (!loaded) throw new HubRefusal('The dataset was deleted')
  return loaded
}
