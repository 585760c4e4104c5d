/** What there is to do for the index of a dataset: read from the database in short snapshots. */
import type { Id } from '@postil/domain/schema'
import type { DatasetSettings } from '../../features/datasets/settings.ts'
import { type Change, readChanges } from '../../storage/changes.ts'
import { type Database, marks, type Queryable } from '../../storage/database.ts'
import { findDatasetNo } from '../../storage/dataset-numbers.ts'
import { listRecordNos } from '../source/follow.ts'
import { findDatasetNow, readWholeDocuments } from '../source/read-whole.ts'
import { toIndexedDocument } from './document.ts'
import type { Flavour } from './flavour.ts'
import { toSettingsStamp } from './settings-stamp.ts'
import type { IndexState } from './states.ts'
import type { Write } from './write-documents.ts'

/** Records that are written before the state is saved: what is interrupted then is done again. */
const RECORDS_PER_STEP = 1_000
/** Entries of the log that are read at a time, and for one step. One may name hundreds of records. */
const ENTRIES_PER_QUERY = 20
const ENTRIES_PER_STEP = 500

/** Documents made at a time: up to the limit that is reached first, and at least one. */
const RECORDS_PER_PIECE = 500
const BYTES_PER_PIECE = 4 * 1024 * 1024

export type Work =
  /** The dataset was deleted. */
  | { kind: 'deleted' }
  /** Drafts have no index. */
  | { kind: 'draft' }
  /** There is no index, or the log does not say how to get from it to now: a new one is needed. */
  | { kind: 'new'; settings: DatasetSettings; stamp: string; changeNo: number; changeAt: string | null }
  | { kind: 'settings'; settings: DatasetSettings; stamp: string }
  | { kind: 'records'; settings: DatasetSettings; log: LogStep | null; fill: FillStep | null }
  | { kind: 'done' }

export interface LogStep {
  recordNos: number[]
  /** Reached when these records are written. */
  changeNo: number
  changeAt: string
}

export interface FillStep {
  recordNos: number[]
  /** Null when there are no more. */
  after: number | null
}

export function readWork(db: Database, datasetId: Id, state: IndexState): Promise<Work> {
  return db.snapshot(async snapshot => {
    const dataset = await findDatasetNow(snapshot, datasetId)
    if (!dataset) return { kind: 'deleted' }
    if (!dataset.published) return { kind: 'draft' }
    const { settings, changeNo } = dataset
    const stamp = toSettingsStamp(settings)
    const read = state.index === null || state.settings === null ? null : await readLog(snapshot, datasetId, state)
    if (read === null) {
      return { kind: 'new', settings, stamp, changeNo, changeAt: await findChangeTime(snapshot, datasetId, changeNo) }
    }
    if (stamp !== state.settings) return { kind: 'settings', settings, stamp }
    const log = toLogStep(read)
    const fill = state.fill === null ? null : await readFill(snapshot, datasetId, state.fill.after)
    return log === null && fill === null ? { kind: 'done' } : { kind: 'records', settings, log, fill }
  })
}

/** The entries after those that the index has; null if the log cannot be followed from there. */
async function readLog(db: Queryable, datasetId: Id, { change_no, change_at }: IndexState): Promise<Change[] | null> {
  // A restored database may have reached the same number with other entries.
  const known = change_at === null ? null : await findChangeTime(db, datasetId, change_no)
  if (known !== null && known !== change_at) return null
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

/** When an entry was written; null if it is not kept. */
async function findChangeTime(db: Queryable, datasetId: Id, changeNo: number): Promise<string | null> {
  const text = 'select inserted_at from changes where dataset_id = ? and change_no = ?'
  return (await db.sql.get<{ inserted_at: string }>(text, [datasetId, changeNo]))?.inserted_at ?? null
}

/** As many whole entries as name few enough records, at least one. */
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

async function readFill(db: Queryable, datasetId: Id, after: number): Promise<FillStep> {
  const text = 'select no from records where dataset_no = ? and no > ? order by no limit ?'
  const recordNos = await db.sql.column<number>(text, [await findDatasetNo(db, datasetId), after, RECORDS_PER_STEP])
  return { recordNos, after: recordNos.length < RECORDS_PER_STEP ? null : (recordNos.at(-1) as number) }
}

/** Settings have changed since the work was read: the mapping must grow before documents are made of them. */
export class SettingsChanged extends Error {}

/** Makes the documents of records, a piece at a time. Records that do not exist any more are to be deleted. */
export async function* readWrites(
  db: Database,
  { datasetId, stamp, flavour }: { datasetId: Id; stamp: string | null; flavour: Flavour },
  recordNos: readonly number[],
): AsyncGenerator<Write[]> {
  for (const piece of await toPieces(db, recordNos)) {
    yield await db.snapshot(async snapshot => {
      const dataset = await findDatasetNow(snapshot, datasetId)
      if (!dataset || toSettingsStamp(dataset.settings) !== stamp) throw new SettingsChanged()
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

/** A snapshot is small enough that all documents of a piece fit in memory. */
export async function readPiece(
  db: Queryable,
  settings: DatasetSettings,
  { recordNos, version, flavour }: { recordNos: readonly number[]; version: number; flavour: Flavour },
): Promise<Write[]> {
  const { documents, deleted } = await readWholeDocuments(db, settings, recordNos)
  return [
    ...Array.from(documents, ([recordNo, document]): Write => {
      const json = JSON.stringify(toIndexedDocument(document, recordNo, flavour))
      return { recordNo, recordId: document.id, json, version }
    }),
    ...deleted.map((recordNo): Write => ({ recordNo, recordId: null, json: null, version })),
  ]
}
