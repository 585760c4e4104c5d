import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { insertMetadataValues } from '../records/metadata-store.ts'
import { insertRecords } from '../records/store.ts'
import { countTerms, findBounds, listMetadataAfter, listTopTerms } from './store.ts'

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

describe('values of a metadata property', () => {
  eachDatabase(db => {
    beforeAll(async () => {
      const values = ['é', 'z', 'Z', '𝒵', '｡', 'z'].map((value, record_no) => ({ property_no: 1, record_no, value }))
      const numbers = [2.5, -1, 7].map((value, record_no) => ({ property_no: 2, record_no, value }))
      await insertMetadataValues(db(), [...values, { property_no: 3, record_no: 1, value: 'other' }, ...numbers])
    })

    test('are counted, and ordered by count and code point', async () => {
      expect(await countTerms(db(), 1)).toBe(6)
      const terms = await listTopTerms(db(), 1, 10)
      expect(terms.map(({ term, count }) => `${term} ${count}`)).toEqual(['z 2', 'Z 1', 'é 1', '｡ 1', '𝒵 1'])
      expect(await listTopTerms(db(), 1, 2)).toHaveLength(2)
    })

    test('have bounds, which are null when there are none', async () => {
      expect(await findBounds(db(), 2)).toEqual({ min: -1, max: 7 })
      expect(await findBounds(db(), 99)).toEqual({ min: null, max: null })
      expect(await countTerms(db(), 99)).toBe(0)
    })
  })
})

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
