/** Helpers for records: iterate over all pages, and send many records in chunks. */
import { type DatasetRecord, RECORDS_BULK_MAX, type RecordCreate, type RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { PAGE_LIMIT_MAX, type SearchBody } from '@postil/domain/search/query'
import { type ChunkOptions, type Many, sendInChunks } from './chunks.ts'
import type { Client } from './client.ts'

const PAGE_SIZE = 100
const DELETE_MAX = 100

export interface RecordQuery {
  /** Text, similarity, filters, sort. Records then come in search order, otherwise oldest first. */
  search?: SearchBody
  /** `responses`, `suggestions`, `vectors`, `vectors:name,other`. */
  include?: string[]
  pageSize?: number
}

/**
 * Yields every record of a dataset, page by page. The caller can stop at any time.
 *
 * Pages use offsets: callers that delete records, or change values they search for, during the iteration should collect the
 * records first.
 */
export async function* iterateRecords(client: Client, datasetId: Id, query: RecordQuery = {}): AsyncGenerator<DatasetRecord> {
  for (let offset = 0; ; ) {
    const page = await listPage(client, datasetId, query, offset)
    // Only an empty page is the end: the total may grow during the iteration, and a search may return less than a full page.
    if (page.length === 0) return
    yield* page
    offset += page.length
  }
}

async function listPage(client: Client, datasetId: Id, query: RecordQuery, offset: number): Promise<DatasetRecord[]> {
  const { search, include = [], pageSize = PAGE_SIZE } = query
  const params = { dataset_id: datasetId }
  const page = { offset, limit: Math.min(pageSize, PAGE_LIMIT_MAX), include }
  if (search === undefined) return (await client.listRecords({ params, query: page })).items
  const { items } = await client.searchRecords({ params, query: page, body: search })
  return items.map(({ record }) => record)
}

export interface RecordsWritten {
  created: number
  updated: number
}

/** Creates records, or updates those that exist by id or external id. */
export async function writeRecords(
  client: Client,
  datasetId: Id,
  records: Many<RecordUpsert>,
  options: ChunkOptions = {},
): Promise<RecordsWritten> {
  let updated = 0
  const limits = { batchSize: client.batchSize, batchSizeMax: RECORDS_BULK_MAX, ...options }
  const written = await sendInChunks(records, limits, async items => {
    const answer = await client.upsertRecordsBulk({ params: { dataset_id: datasetId }, body: { items } })
    updated += answer.updated_item_ids?.length ?? 0
  })
  return { created: written - updated, updated }
}

/** Creates records and returns their number. A record whose external id exists is refused, together with its whole chunk. */
export function createRecordsInChunks(
  client: Client,
  datasetId: Id,
  records: Many<RecordCreate>,
  options: ChunkOptions = {},
): Promise<number> {
  const limits = { batchSize: client.batchSize, batchSizeMax: RECORDS_BULK_MAX, ...options }
  return sendInChunks(records, limits, async items => {
    await client.createRecordsBulk({ params: { dataset_id: datasetId }, body: { items } })
  })
}

/** Deletes records and returns the number of ids sent. Unknown ids are ignored. */
export function deleteRecordsInChunks(
  client: Client,
  datasetId: Id,
  recordIds: Many<Id>,
  options: ChunkOptions = {},
): Promise<number> {
  const limits = { batchSize: DELETE_MAX, batchSizeMax: DELETE_MAX, ...options }
  return sendInChunks(recordIds, limits, async ids => {
    await client.deleteRecords({ params: { dataset_id: datasetId }, query: { ids: ids.join(',') } })
  })
}
