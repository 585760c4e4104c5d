import { describe, expect, test } from 'vitest'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { insertRecords } from '../records/store.ts'
import { listMetadataAfter } from './store.ts'

const NOW = '2026-01-05T10:11:12.131415'

async function addRecordsWithMetadata(db: Database, datasetId: string, metadata: readonly (string | null)[]): Promise<number[]> {
  const nos = await db.sql.reserveNumbers('records', metadata.length)
  const rest = { dataset_id: datasetId, external_id: null, status: 'pending', fields: '{}', inserted_at: NOW, updated_at: NOW }
  await insertRecords(
    db,
    nos.map((no, index) => ({ no, id: `${datasetId}-${no}`, shuffle: no, metadata: metadata[index] ?? null, ...rest })),
  )
  return nos
}

describe('walking the metadata of a dataset', () => {
  eachDatabase(db => {
    test('goes by number and passes over records without any, and over other datasets', async () => {
      const [first, , third] = await addRecordsWithMetadata(db(), 'walked', ['{"a":1}', null, '{"a":3}'])
      await addRecordsWithMetadata(db(), 'other', ['{"a":4}'])
      expect(await listMetadataAfter(db(), 'walked', { after: 0, limit: 10 })).toEqual([
        { no: first, metadata: '{"a":1}' },
        { no: third, metadata: '{"a":3}' },
      ])
      expect(await listMetadataAfter(db(), 'walked', { after: first ?? 0, limit: 1 })).toEqual([
        { no: third, metadata: '{"a":3}' },
      ])
    })
  })
})
