/** Reads all records of a dataset, oldest first, also while other clients delete some of them. */
import type { Client, DatasetRecord } from '@postil/client'

const PAGE_SIZE = 100
const INCLUDE = ['responses', 'suggestions', 'vectors']

/**
 * Yields each record once. Pages use offsets, so records deleted in the meantime shift the following ones forward. Each page
 * therefore overlaps the previous one by one record. If the overlap is missing, the offset moves back until a page contains a
 * record that was already yielded, so that no record is skipped.
 */
export async function* readAllRecords(client: Client, datasetId: string): AsyncGenerator<DatasetRecord> {
  const seen = new Set<string>()
  let offset = 0
  let step = PAGE_SIZE - 1
  for (;;) {
    const query = { offset, limit: PAGE_SIZE, include: INCLUDE }
    const { items } = await client.listRecords({ params: { dataset_id: datasetId }, query })
    if (offset > 0 && !items.some(({ id }) => seen.has(id))) {
      offset = Math.max(0, offset - step)
      step *= 2
      continue
    }
    for (const record of items) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      yield record
    }
    if (items.length < PAGE_SIZE) return
    offset += PAGE_SIZE - 1
    step = PAGE_SIZE - 1
  }
}
