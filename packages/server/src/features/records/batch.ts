/** Collects the rows of one call, then writes them in a few statements. */
import { isVersionStored } from '@postil/domain/responses'
import type { Context } from '../../context.ts'
import type { TextDocument } from '../../search/engine.ts'
import { hasSegments, storeBuiltSegment, storeSegment } from '../../search/source/store-segment.ts'
import { lockHead } from '../../storage/changes.ts'
import type { Queryable } from '../../storage/database.ts'
import { addToCounts } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import { insertVersions, toEarlierWriteIds, toVersion } from '../responses/history-store.ts'
import { insertNamedUsers, insertResponses, listResponsesOf, type ResponseRow } from '../responses/store.ts'
import { insertSuggestions, type SuggestionRow } from '../suggestions/store.ts'
import { putVectors } from '../vectors/store.ts'
import type { VectorContent } from './rows.ts'
import { insertRecords, type RecordRow, updateRecords } from './store.ts'

export interface Batch {
  inserted: RecordRow[]
  /** The last of several changes to one record wins. */
  updated: Map<number, RecordRow>
  suggestions: Map<string, SuggestionRow>
  responses: Map<string, ResponseRow>
  vectors: Map<string, VectorContent & { record_no: number }>
  texts: Map<number, TextDocument>
  /** Document number in an already built segment by record number, used instead of `texts`. */
  documents: Map<number, number>
  /** Change of the number of completed records. */
  completed: number
}

export const newBatch = (): Batch => ({
  inserted: [],
  updated: new Map(),
  suggestions: new Map(),
  responses: new Map(),
  vectors: new Map(),
  texts: new Map(),
  documents: new Map(),
  completed: 0,
})

interface WriteOptions {
  /** Segment of `documents`, and its number of documents. */
  segment?: BuiltSegment
  /** False if every record is new, so that there is nothing to overwrite or delete. */
  overwrite: boolean
}

interface BuiltSegment {
  bytes: Uint8Array
  documents: number
}

export async function writeBatch(
  ctx: Context,
  tx: Tx,
  datasetId: string,
  batch: Batch,
  { overwrite, segment }: WriteOptions,
): Promise<void> {
  await insertRecords(tx, batch.inserted)
  await updateRecords(tx, [...batch.updated.values()])
  await insertSuggestions(tx, [...batch.suggestions.values()], { overwrite })
  await writeResponses(ctx, tx, datasetId, batch, overwrite)
  await writeVectors(tx, datasetId, [...batch.vectors.values()], overwrite)
  if (hasSegments(ctx.config)) storeTexts(tx, datasetId, batch, segment)
  addToCounts(tx, datasetId, { records: batch.inserted.length, completed: batch.completed })
}

/**
 * Search threads follow vectors by their numbers, so numbers must be in commit order. Other writers of the dataset wait from here
 * on.
 */
async function writeVectors(
  tx: Tx,
  datasetId: string,
  vectors: Parameters<typeof putVectors>[1],
  replace: boolean,
): Promise<void> {
  if (vectors.length === 0) return
  // Both statements are sent together, in this order.
  await Promise.all([tx.dialect.forUpdate !== '' && lockHead(tx, datasetId), putVectors(tx, vectors, { replace })])
}

function storeTexts(tx: Tx, datasetId: string, { texts, documents }: Batch, segment: BuiltSegment | undefined): void {
  if (segment) storeBuiltSegment(tx, datasetId, segment.bytes, toRecordNos(documents, segment.documents))
  else storeSegment(tx, datasetId, [...texts.values()])
}

function toRecordNos(documents: ReadonlyMap<number, number>, count: number): (number | null)[] {
  const recordNos: (number | null)[] = Array(count).fill(null)
  for (const [recordNo, document] of documents) recordNos[document] = recordNo
  return recordNos
}

async function writeResponses(ctx: Context, db: Queryable, datasetId: string, batch: Batch, overwrite: boolean): Promise<void> {
  const responses = [...batch.responses.values()]
  if (responses.length === 0) return
  if (overwrite) await storeReplacedVersions(db, batch)
  await insertResponses(db, datasetId, responses, { overwrite })
  await insertNamedUsers(db, datasetId, [...new Set(responses.map(({ user_id }) => user_id))], ctx.now())
}

async function storeReplacedVersions(db: Queryable, { responses }: Batch): Promise<void> {
  const recordNos = [...new Set(Array.from(responses.values(), ({ record_no }) => record_no))]
  const versions = (await listResponsesOf(db, recordNos, null)).flatMap(before => {
    const after = responses.get(`${before.record_no} ${before.user_id}`)
    if (!after) return []
    const isKept = isVersionStored(before, after)
    after.earlier_write_ids = toEarlierWriteIds(before, isKept)
    return isKept ? toVersion(before, { replacedAt: after.updated_at, jobId: null, isDeleted: false }) : []
  })
  await insertVersions(db, versions)
}
