/**
 * Converts a dataset's log to the steps that an index must apply: documents to put, records to remove, and changed settings.
 *
 * The log names the changed records, and the tables have their current state. Documents may therefore be newer than the log entry
 * that names them. Applying a document twice is harmless.
 */
import type { ChangeName } from '@postil/domain/events'
import type { Id } from '@postil/domain/schema'
import type { DocumentSettings, SearchDocument } from '@postil/domain/search/document'
import { type DatasetSettings, loadDatasetSettings } from '../../features/datasets/settings.ts'
import { findDataset } from '../../features/datasets/store.ts'
import { type Change, readChanges } from '../../storage/changes.ts'
import type { Queryable } from '../../storage/database.ts'
import type { ColumnKey } from '../columns/column-key.ts'
import { readDocuments } from './read-documents.ts'

/**
 * The effect of each kind of log entry: it changes the documents of the records that it names, the settings, or nothing that is
 * indexed.
 */
const CHANGE_EFFECTS: { readonly [N in ChangeName]: 'records' | 'settings' | 'nothing' } = {
  'dataset.created': 'settings',
  // Changes the name, guidelines, metadata or distribution. If the distribution changes the status of records, `record.updated`
  // names them.
  'dataset.updated': 'nothing',
  'dataset.published': 'nothing',
  // The dataset no longer exists, so its log is not used.
  'dataset.deleted': 'nothing',
  'dataset.indexed': 'nothing',
  'record.created': 'records',
  'record.updated': 'records',
  // Always accompanied by `record.updated`. Reading both is cheap, because a record is read once for all entries of a batch.
  'record.completed': 'records',
  'record.deleted': 'records',
  'response.created': 'records',
  'response.updated': 'records',
  'response.deleted': 'records',
  'settings.updated': 'settings',
  'suggestion.updated': 'records',
  'suggestion.deleted': 'records',
  'comment.created': 'nothing',
  'comment.deleted': 'nothing',
  'flag.created': 'records',
  'flag.deleted': 'records',
  'user.deleted': 'records',
  // An index stores only the ids of users.
  'user.updated': 'nothing',
}

/** Log entries read per batch. One entry may name hundreds of records. */
const ENTRIES_PER_BATCH = 1_000
const DOCUMENTS_PER_STEP = 1_000

export interface CatchUpStep {
  kind: 'step'
  /** The change number that the index reaches with this step. Only the last step of a batch of entries advances it. */
  changeNo: number
  /** Documents by record number. They replace those in the index. */
  documents: Map<number, SearchDocument>
  /** Numbers of records that no longer exist. The index may never have contained them. */
  removed: number[]
  /**
   * The current settings if they changed, or null. Apply them before the documents, and drop the columns for which `hasColumn` is
   * false.
   */
  settings: DatasetSettings | null
}

/**
 * `rebuild`: the log does not contain all later entries, so the index must be rebuilt from the tables. `deleted`: the dataset was
 * deleted.
 */
export type CatchUpResult = CatchUpStep | { kind: 'rebuild' } | { kind: 'deleted' }

/**
 * Reads the changes after change number `after`, up to `head`. Must run in a snapshot, like reading columns: everything read in
 * one snapshot belongs to the same change number, which `findHeadNumber` returns.
 */
export async function* readCatchUpSteps(
  db: Queryable,
  datasetId: Id,
  { after, head }: { after: number; head: number },
): AsyncGenerator<CatchUpResult> {
  const dataset = await findDataset(db, datasetId)
  if (!dataset) {
    yield { kind: 'deleted' }
    return
  }
  const settings = await loadDatasetSettings(db, dataset)
  for (let reached = after; reached < head; ) {
    const read = await readChanges(db, datasetId, reached, Math.min(ENTRIES_PER_BATCH, head - reached))
    const last = read.kind === 'changes' ? read.changes.at(-1) : undefined
    // If the head is beyond the end of the log, the database was restored from a backup.
    if (read.kind === 'rebuild' || !last) {
      yield { kind: 'rebuild' }
      return
    }
    yield* toSteps(db, settings, read.changes, { from: reached, to: last.change_no })
    reached = last.change_no
  }
}

async function* toSteps(
  db: Queryable,
  settings: DatasetSettings,
  changes: readonly Change[],
  { from, to }: { from: number; to: number },
): AsyncGenerator<CatchUpStep> {
  const areSettingsChanged = changes.some(({ event }) => CHANGE_EFFECTS[event] === 'settings')
  const recordNos = listRecordNos(changes)
  let start = 0
  do {
    const end = start + DOCUMENTS_PER_STEP
    const { documents, deleted } = await readDocuments(db, settings, recordNos.slice(start, end))
    const changeNo = end < recordNos.length ? from : to
    yield { kind: 'step', changeNo, documents, removed: deleted, settings: areSettingsChanged && start === 0 ? settings : null }
    start = end
  } while (start < recordNos.length)
}

/** Returns the numbers of records whose documents changed, ascending and without duplicates. */
export function listRecordNos(changes: readonly Change[]): number[] {
  const recordNos = new Set<number>()
  for (const { event, record_nos } of changes)
    if (CHANGE_EFFECTS[event] === 'records') for (const no of record_nos) recordNos.add(no)
  return [...recordNos].sort((a, b) => a - b)
}

/** False if the property or question of the column was deleted. */
export function hasColumn({ metadataProperties, questions }: DocumentSettings, key: ColumnKey): boolean {
  if (key.kind === 'metadata') return metadataProperties.some(({ id }) => id === key.propertyId)
  if (key.kind === 'suggestion' || key.kind === 'response') return questions.some(({ id }) => id === key.questionId)
  return true
}
