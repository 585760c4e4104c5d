/** Determines the pending work for the index of a dataset, by reading the database in short snapshots. */
import type { Id } from '@postil/domain/schema'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import { type Change, readChanges } from '../../storage/changes.ts'
import { type Database, marks, type Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import { listRecordNos } from '../source/follow.ts'
import { findDatasetState, readDocumentsWithVectors } from '../source/read-with-vectors.ts'
import { toIndexedDocument } from './document.ts'
import type { Flavour } from './flavour.ts'
import { isCurrentFormat, toSettingsStamp } from './settings-stamp.ts'
import type { Fill, IndexState } from './states.ts'
import type { DocumentWrite } from './write-documents.ts'

/** Records that are written before the state is saved. An interrupted step is repeated. */
const RECORDS_PER_STEP = 4_000
/** Log entries per query and per step. One entry may name hundreds of records. */
const ENTRIES_PER_QUERY = 50
const ENTRIES_PER_STEP = 500

/** Limits for a batch of documents, whichever is reached first. A batch has at least one document. */
const RECORDS_PER_PIECE = 500
const BYTES_PER_PIECE = 4 * 1024 * 1024

export type Work =
  /** The dataset was deleted. */
  | { kind: 'deleted' }
  /** The dataset is a draft, which has no index. */
  | { kind: 'draft' }
  /** A new index is needed, because there is none or the log cannot be followed from its state. */
  | { kind: 'new'; settings: DatasetSettings; stamp: string; changeNo: number; changeAt: string | null }
  | { kind: 'settings'; settings: DatasetSettings; stamp: string }
  | { kind: 'records'; settings: DatasetSettings; log: LogStep | null; fill: FillStep | null }
  | { kind: 'done' }

export interface LogStep {
  recordNos: number[]
  /** The change number that the index reaches when these records are written. */
  changeNo: number
  changeAt: string
}

export interface FillStep {
  recordNos: number[]
  /** Null if there are no more records. */
  after: number | null
}

export function readWork(
  db: Database,
  { datasetId, flavour }: { datasetId: Id; flavour: Flavour },
  state: IndexState,
): Promise<Work> {
  return db.snapshot(async snapshot => {
    const dataset = await findDatasetState(snapshot, datasetId)
    if (!dataset) return { kind: 'deleted' }
    if (!dataset.published) return { kind: 'draft' }
    const { settings, changeNo } = dataset
    const stamp = toSettingsStamp(settings, flavour)
    const canGrow = state.index !== null && state.settings !== null && isCurrentFormat(state.settings, flavour)
    const read = canGrow ? await readLog(snapshot, datasetId, state) : null
    if (read === null) {
      return { kind: 'new', settings, stamp, changeNo, changeAt: await findChangeTime(snapshot, datasetId, changeNo) }
    }
    if (stamp !== state.settings) return { kind: 'settings', settings, stamp }
    const log = toLogStep(read.map(change => withoutUnfilled(change, state.fill)))
    const fill = state.fill === null ? null : await readFill(snapshot, datasetId, state.fill.after)
    return log === null && fill === null ? { kind: 'done' } : { kind: 'records', settings, log, fill }
  })
}

/** Returns the log entries after those in the index, or null if the log cannot be followed from there. */
async function readLog(db: Queryable, datasetId: Id, state: IndexState): Promise<Change[] | null> {
  const [isSame, changes] = await Promise.all([isSameLog(db, datasetId, state), readEntries(db, datasetId, state)])
  return isSame ? changes : null
}

/** Detects a restored database, which may have reached the same change number with other entries. */
async function isSameLog(db: Queryable, datasetId: Id, { change_no, change_at }: IndexState): Promise<boolean> {
  const known = change_at === null ? null : await findChangeTime(db, datasetId, change_no)
  return known === null || known === change_at
}

async function readEntries(db: Queryable, datasetId: Id, { change_no }: IndexState): Promise<Change[] | null> {
  const changes: Change[] = []
  for (let records = 0; records < RECORDS_PER_STEP && changes.length < ENTRIES_PER_STEP; ) {
    const read = await readChanges(db, datasetId, change_no + changes.length, ENTRIES_PER_QUERY)
    if (read.kind === 'rebuild') return null
    changes.push(...read.changes)
    if (read.changes.length < ENTRIES_PER_QUERY) break
    for (const { record_nos } of read.changes) records += record_nos.length
  }
  return changes
}

/** Returns the time of a log entry, or null if the entry was deleted. */
async function findChangeTime(db: Queryable, datasetId: Id, changeNo: number): Promise<string | null> {
  const text = 'select inserted_at from changes where dataset_id = ? and change_no = ?'
  return (await db.sql.get<{ inserted_at: string }>(text, [datasetId, changeNo]))?.inserted_at ?? null
}

/**
 * Removes records that are not in the index yet, because they are written once, when they are filled in. Deletions are always
 * applied, because an interrupted step may have written the record.
 */
function withoutUnfilled(change: Change, fill: Fill | null): Change {
  if (fill?.ids !== null || change.event === 'record.deleted') return change
  return { ...change, record_nos: change.record_nos.filter(no => no <= fill.after) }
}

/** Takes as many whole entries as fit the limit of records, and at least one. */
function toLogStep(changes: readonly Change[]): LogStep | null {
  const [first] = changes
  if (!first) return null
  let end = 1
  let records = first.record_nos.length
  for (; end < changes.length; end++) {
    records += (changes[end] as Change).record_nos.length
    if (records > RECORDS_PER_STEP) break
  }
  const taken = changes.slice(0, end)
  const last = taken.at(-1) as Change
  return { recordNos: listRecordNos(taken), changeNo: last.change_no, changeAt: last.inserted_at }
}

/** Maximum number of records that are written without a lease, in one request. */
const FEW_MAX = 100

interface SmallUpdate {
  writes: DocumentWrite[]
  /** The change number that the index reaches with these writes. */
  changeNo: number
  changeAt: string
}

/**
 * Reads the changes in one snapshot if there are few. Returns `done` if there are none, and null if there are too many or if they
 * need more than document writes.
 */
export function readSmallUpdate(
  db: Database,
  { datasetId, flavour }: { datasetId: Id; flavour: Flavour },
  state: IndexState,
): Promise<SmallUpdate | 'done' | null> {
  return db.snapshot(async snapshot => {
    // An index that is not completely filled cannot be updated this way.
    if (state.index === null || state.fill?.ids === null) return null
    // The queries are independent, so PostgreSQL receives them together.
    const [dataset, changes] = await Promise.all([findDatasetState(snapshot, datasetId), readLog(snapshot, datasetId, state)])
    if (!dataset?.published || toSettingsStamp(dataset.settings, flavour) !== state.settings || changes === null) return null
    const log = toLogStep(changes)
    if (log === null) return 'done'
    const { recordNos, changeNo, changeAt } = log
    if (recordNos.length > FEW_MAX || (await findBytes(snapshot, recordNos)) > BYTES_PER_PIECE) return null
    const writes = await readPiece(snapshot, dataset.settings, { recordNos, version: dataset.changeNo, flavour })
    return { writes, changeNo, changeAt }
  })
}

async function findBytes(db: Queryable, recordNos: readonly number[]): Promise<number> {
  if (recordNos.length === 0) return 0
  const text = `select sum(octet_length(fields)) as bytes from record_fields where record_no in (${marks(recordNos)})`
  return (await db.sql.get<{ bytes: number | null }>(text, recordNos))?.bytes ?? 0
}

async function readFill(db: Queryable, datasetId: Id, after: number): Promise<FillStep> {
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  const recordNos = await db.sql.column<number>(text, [await findDatasetNo(db, datasetId), after, RECORDS_PER_STEP])
  return { recordNos, after: recordNos.length < RECORDS_PER_STEP ? null : (recordNos.at(-1) as number) }
}

/**
 * Thrown if the settings have changed since the work was read. The mapping must be extended before documents are built with the
 * new settings.
 */
export class SettingsChanged extends Error {}

/** Builds the documents of records in batches. Records that no longer exist become deletions. */
export async function* readWrites(
  db: Database,
  { datasetId, stamp, flavour }: { datasetId: Id; stamp: string | null; flavour: Flavour },
  recordNos: readonly number[],
): AsyncGenerator<DocumentWrite[]> {
  for (const piece of await toPieces(db, recordNos)) {
    yield await db.snapshot(async snapshot => {
      const dataset = await findDatasetState(snapshot, datasetId)
      if (!dataset || toSettingsStamp(dataset.settings, flavour) !== stamp) throw new SettingsChanged()
      return readPiece(snapshot, dataset.settings, { recordNos: piece, version: dataset.changeNo, flavour })
    })
  }
}

async function toPieces(db: Database, recordNos: readonly number[]): Promise<number[][]> {
  const pieces: number[][] = []
  for (let start = 0; start < recordNos.length; start += RECORDS_PER_PIECE) {
    const nos = recordNos.slice(start, start + RECORDS_PER_PIECE)
    const text = `select record_no, octet_length(fields) as bytes from record_fields where record_no in (${marks(nos)})`
    const sizes = new Map(
      (await db.sql.all<{ record_no: number; bytes: number }>(text, nos)).map(row => [row.record_no, row.bytes]),
    )
    let bytes = Number.POSITIVE_INFINITY
    for (const no of nos) {
      bytes += sizes.get(no) ?? 0
      if (bytes > BYTES_PER_PIECE) {
        pieces.push([])
        bytes = sizes.get(no) ?? 0
      }
      pieces.at(-1)?.push(no)
    }
  }
  return pieces
}

/** Builds the documents of one batch, which is small enough for all of them to fit in memory. */
export async function readPiece(
  db: Queryable,
  settings: DatasetSettings,
  { recordNos, version, flavour }: { recordNos: readonly number[]; version: number; flavour: Flavour },
): Promise<DocumentWrite[]> {
  const { documents, deleted } = await readDocumentsWithVectors(db, settings, recordNos)
  return [
    ...Array.from(documents, ([recordNo, document]): DocumentWrite => {
      const json = JSON.stringify(toIndexedDocument(document, recordNo, flavour))
      return { recordNo, recordId: document.id, json, version }
    }),
    ...deleted.map((recordNo): DocumentWrite => ({ recordNo, recordId: null, json: null, version })),
  ]
}
