/**
 * What an index must do to follow a dataset's log: which documents to put, which records to remove, and whether settings changed.
 *
 * The log says which records changed, and the tables say how they are now. Documents may therefore be newer than the entry that names
 * them; applying them again is harmless.
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

/** What an entry changes: the documents of the records it names, the settings, or nothing that search knows. */
const CHANGED: { readonly [N in ChangeName]: 'records' | 'settings' | 'nothing' } = {
  'dataset.created': 'settings',
  // Its name, guidelines and metadata. If another distribution changes the status of records, `record.updated` names them.
  'dataset.updated': 'nothing',
  'dataset.published': 'nothing',
  // The dataset is not found any more, whatever its log says.
  'dataset.deleted': 'nothing',
  'dataset.indexed': 'nothing',
  'record.created': 'records',
  'record.updated': 'records',
  // Always beside `record.updated`, but cheap: a record is read once for all entries of a batch.
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
  // An index knows users by their ids.
  'user.updated': 'nothing',
}

/** Entries read at a time; one may name hundreds of records. */
const ENTRIES_PER_BATCH = 1_000
const DOCUMENTS_PER_STEP = 1_000

export interface Step {
  kind: 'step'
  /** The number that is reached when the step is applied. It moves with the last step of a batch of entries. */
  changeNo: number
  /** By record number: to be put in place of what the index has. */
  documents: Map<number, SearchDocument>
  /** Numbers of records that do not exist any more. The index may never have known them. */
  removed: number[]
  /** The current settings, if they changed. They come before the documents; drop the columns for which `hasColumn` is false. */
  settings: DatasetSettings | null
}

/** `rebuild`: the log does not hold all that came after; the index must start from the tables. `deleted`: so was the dataset. */
export type CatchUp = Step | { kind: 'rebuild' } | { kind: 'deleted' }

/**
 * Reads what happened after change number `after`, up to `head`. It runs inside a snapshot, as reading columns does: what is read in
 * the same snapshot belongs to the same change number, which `findHeadNumber` says.
 */
export async function* catchUp(
  db: Queryable,
  datasetId: Id,
  { after, head }: { after: number; head: number },
): AsyncGenerator<CatchUp> {
  const dataset = await findDataset(db, datasetId)
  if (!dataset) {
    yield { kind: 'deleted' }
    return
  }
  const settings = await loadDatasetSettings(db, dataset)
  for (let reached = after; reached < head; ) {
    const read = await readChanges(db, datasetId, reached, Math.min(ENTRIES_PER_BATCH, head - reached))
    const last = read.kind === 'changes' ? read.changes.at(-1) : undefined
    // A head beyond the log: the database was restored from a backup.
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
): AsyncGenerator<Step> {
  const areSettingsChanged = changes.some(({ event }) => CHANGED[event] === 'settings')
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

/** The records whose documents changed, each once, in the order of their numbers. */
export function listRecordNos(changes: readonly Change[]): number[] {
  const recordNos = new Set<number>()
  for (const { event, record_nos } of changes) if (CHANGED[event] === 'records') for (const no of record_nos) recordNos.add(no)
  return [...recordNos].sort((a, b) => a - b)
}

/** Whether records can have values in a column: its property or question may have been deleted. */
export function hasColumn({ metadataProperties, questions }: DocumentSettings, key: ColumnKey): boolean {
  if (key.kind === 'metadata') return metadataProperties.some(({ id }) => id === key.propertyId)
  if (key.kind === 'suggestion' || key.kind === 'response') return questions.some(({ id }) => id === key.questionId)
  return true
}
