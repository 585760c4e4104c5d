/** Comforts for records: all of them in pages, many of them in chunks. */
import { type DatasetRecord, RECORDS_BULK_MAX, type RecordCreate, type RecordUpsert } from '@postil/domain/records'
import type { Id } from '@postil/domain/schema'
import { PAGE_LIMIT_MAX, type SearchBody } from '@postil/domain/search/query'
import { type ChunkOptions, type Many, sendInChunks } from './chunks.ts'
import type { Client } from './client.ts'

const PAGE_SIZE = 100
const DELETE_MAX = 100

export interface RecordQuery {
  /** Text, similarity, filters, sort. With it records come in the order of the search; without it oldest first. */
  search?: SearchBody
  /** `responses`, `suggestions`, `vectors`, `vectors:name,other`. */
  include?: string[]
  pageSize?: number
}

/**
 * Yields every record of a dataset, in pages; safe to stop at any time.
 *
 * Pages are counted from the beginning: who deletes records on the way, or changes what is searched for, should collect
 * them first.
 */
export async function* iterateRecords(client: Client, datasetId: Id, query: RecordQuery = {}): AsyncGenerator<DatasetRecord> {
  for (let offset = 0; ; ) {
    const page = await listPage(client, datasetId, query, offset)
    // Only an empty page is the end: the total may grow on the way, and a search may give less than a full page.
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

/** Creates records, or changes those that exist by id or external id. */
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

/** Creates records and answers how many; one with an external id that exists is refused, with its whole chunk. */
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

/** Deletes records and answers how many ids it sent; ids of no record are passed over. */
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
