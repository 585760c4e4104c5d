/** All that one call writes, collected first and then stored with a few statements for the whole of it. */
import { isVersionKept } from '@postil/domain/responses'
import type { Context } from '../../context.ts'
import type { TextDocument } from '../../search/engine.ts'
import type { Queryable } from '../../storage/database.ts'
import { addToCounts } from '../../storage/heads.ts'
import type { Tx } from '../../storage/write.ts'
import { insertVersions, toEarlierWriteIds, toVersion } from '../responses/history-store.ts'
import {
  deleteResponseTerms,
  insertDatasetUsers,
  insertResponses,
  insertResponseTerms,
  listResponsesOf,
  type ResponseRow,
  type ResponseTerm,
} from '../responses/store.ts'
import {
  deleteSuggestionTerms,
  insertSuggestions,
  insertSuggestionTerms,
  type SuggestionRow,
  type SuggestionTerm,
} from '../suggestions/store.ts'
import { putVectors, type VectorRow } from '../vectors/store.ts'
import { deleteMetadataValues, insertMetadataValues, type MetadataValue } from './metadata-store.ts'
import { insertRecords, type RecordRow, updateRecords } from './store.ts'

export interface Batch {
  inserted: RecordRow[]
  /** Last of several changes to one record wins. */
  updated: Map<number, RecordRow>
  suggestions: Map<string, { row: SuggestionRow; terms: SuggestionTerm[] }>
  responses: Map<string, { row: ResponseRow; terms: ResponseTerm[] }>
  vectors: Map<string, VectorRow>
  /** Values by record. */
  metadata: Map<number, MetadataValue[]>
  texts: Map<number, TextDocument>
  /** How many more records are completed than before. */
  completed: number
}

export const newBatch = (): Batch => ({
  inserted: [],
  updated: new Map(),
  suggestions: new Map(),
  responses: new Map(),
  vectors: new Map(),
  metadata: new Map(),
  texts: new Map(),
  completed: 0,
})

interface WriteOptions {
  /** False when every record is new: then there is nothing to overwrite or to clear. */
  overwrite: boolean
}

export async function writeBatch(
  ctx: Context,
  db: Tx,
  datasetId: string,
  batch: Batch,
  { overwrite }: WriteOptions,
): Promise<void> {
  await insertRecords(db, batch.inserted)
  await updateRecords(db, [...batch.updated.values()])
  await writeSuggestions(db, batch, overwrite)
  await writeResponses(ctx, db, datasetId, batch, overwrite)
  await putVectors(db, [...batch.vectors.values()], { replace: overwrite })
  if (overwrite) await deleteMetadataValues(db, [...batch.metadata.keys()])
  await insertMetadataValues(db, [...batch.metadata.values()].flat())
  await ctx.search.put(db, datasetId, [...batch.texts.values()], { replace: overwrite })
  addToCounts(db, datasetId, { records: batch.inserted.length, completed: batch.completed })
}

async function writeSuggestions(db: Queryable, batch: Batch, overwrite: boolean): Promise<void> {
  const suggestions = [...batch.suggestions.values()]
  if (overwrite)
    await deleteSuggestionTerms(
      db,
      suggestions.map(({ row }) => row),
    )
  await insertSuggestions(
    db,
    suggestions.map(({ row }) => row),
    { overwrite },
  )
  await insertSuggestionTerms(
    db,
    suggestions.flatMap(({ terms }) => terms),
  )
}

async function writeResponses(ctx: Context, db: Queryable, datasetId: string, batch: Batch, overwrite: boolean): Promise<void> {
  const responses = [...batch.responses.values()]
  if (responses.length === 0) return
  if (overwrite) {
    await keepReplaced(db, batch)
    await deleteResponseTerms(
      db,
      responses.map(({ row }) => row),
    )
  }
  await insertResponses(
    db,
    responses.map(({ row }) => row),
    { overwrite },
  )
  await insertResponseTerms(
    db,
    responses.flatMap(({ terms }) => terms),
  )
  await insertDatasetUsers(db, datasetId, [...new Set(responses.map(({ row }) => row.user_id))], ctx.now())
}

async function keepReplaced(db: Queryable, { responses }: Batch): Promise<void> {
  const recordNos = [...new Set(Array.from(responses.values(), ({ row }) => row.record_no))]
  const versions = (await listResponsesOf(db, recordNos, null)).flatMap(before => {
    const after = responses.get(`${before.record_no} ${before.user_id}`)?.row
    if (!after) return []
    const isKept = isVersionKept(before, after)
    after.earlier_write_ids = toEarlierWriteIds(before, isKept)
    return isKept ? toVersion(before, { replacedAt: after.updated_at, jobId: null, isDeleted: false }) : []
  })
  await insertVersions(db, versions)
}
