import type { Dataset } from '@postil/domain/datasets'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { insertRecords, type RecordRow } from '../records/store.ts'
import { insertDatasetUsers, insertResponses } from '../responses/store.ts'
import { hideUser } from '../users/store.ts'
import { countResponsesByUser, countResponsesOf, listContributors } from './progress-store.ts'
import { listAnsweredRecordsAfter, updateStatuses } from './status-store.ts'
import {
  hasWorkspace,
  insertDataset,
  listDatasets,
  listSomeRecordNumbers,
  loadDataset,
  loadDatasetToChange,
  updateDataset,
} from './store.ts'

const time = (second: number) => `2026-01-05T10:11:${String(second).padStart(2, '0')}.131415`
const NOW = time(0)

const dataset = (id: string, second: number, rest: Partial<Dataset> = {}): Dataset => ({
  id,
  name: id,
  guidelines: null,
  allow_extra_metadata: true,
  status: 'draft',
  distribution: { strategy: 'overlap', min_submitted: 1 },
  metadata: null,
  workspace_id: 'w1',
  last_activity_at: NOW,
  inserted_at: time(second),
  updated_at: NOW,
  ...rest,
})

async function addWorkspaces(db: Database): Promise<void> {
  for (const id of ['w1', 'w2']) {
    await db.kysely.insertInto('workspaces').values({ id, name: id, inserted_at: NOW, updated_at: NOW }).execute()
  }
}

async function addUser(db: Database, username: string, second: number): Promise<void> {
  const keys = { password_hash: '', api_key_hash: username, api_key_encrypted: '' }
  const names = { first_name: username, last_name: null, username, role: 'annotator' }
  await db.kysely
    .insertInto('users')
    .values({ id: username, ...names, ...keys, inserted_at: time(second), updated_at: NOW })
    .execute()
}

async function addRecords(db: Database, datasetId: string, statuses: string[]): Promise<number[]> {
  const nos = await db.sql.reserveNumbers('records', statuses.length)
  const rest = { dataset_id: datasetId, external_id: null, fields: '{}', metadata: null, inserted_at: NOW, updated_at: NOW }
  const rows = nos.map(
    (no, index): RecordRow => ({ no, id: `${datasetId}-${no}`, shuffle: no, status: statuses[index] ?? '', ...rest }),
  )
  await insertRecords(db, rows)
  return nos
}

async function addResponse(db: Database, record_no: number, user_id: string, status: string): Promise<void> {
  const row = {
    id: `${record_no}-${user_id}`,
    record_no,
    user_id,
    status,
    values: '{}',
    inserted_at: NOW,
    updated_at: NOW,
  }
  await insertResponses(db, 'd1', [row], { overwrite: false })
}

describe('datasets', () => {
  eachDatabase(db => {
    beforeAll(async () => {
      await addWorkspaces(db())
      await insertDataset(db(), dataset('newer', 2, { status: 'ready' }))
      await insertDataset(db(), dataset('older', 1, { metadata: { a: [1, null] }, allow_extra_metadata: false }))
      await insertDataset(db(), dataset('elsewhere', 3, { workspace_id: 'w2', name: 'older' }))
    })

    test('come back as they were stored', async () => {
      const stored = { settings_version: 1, change_no: 0, records_count: 0, completed_count: 0 }
      const expected = { ...dataset('older', 1, { metadata: { a: [1, null] }, allow_extra_metadata: false }), ...stored }
      expect(await loadDataset(db(), 'older')).toEqual(expected)
      expect(await db().transaction(tx => loadDatasetToChange(tx, 'older'))).toEqual(expected)
      await expect(loadDatasetToChange(db(), 'missing')).rejects.toMatchObject({ code: 'not_found' })
    })

    test.each([
      { filter: { workspaceIds: null }, ids: ['older', 'newer', 'elsewhere'] },
      { filter: { workspaceIds: [] }, ids: [] },
      { filter: { workspaceIds: ['w1'] }, ids: ['older', 'newer'] },
      { filter: { workspaceIds: ['w1', 'w2'], name: 'older' }, ids: ['older', 'elsewhere'] },
      { filter: { workspaceIds: ['w1'], name: 'older', status: 'ready' }, ids: [] },
      { filter: { workspaceIds: null, status: 'ready' }, ids: ['newer'] },
    ])('are listed by $filter, oldest first', async ({ filter, ids }) => {
      expect((await listDatasets(db(), filter)).map(({ id }) => id)).toEqual(ids)
    })

    test('need a workspace', async () => {
      expect(await hasWorkspace(db(), 'w1')).toBe(true)
      expect(await hasWorkspace(db(), 'w9')).toBe(false)
    })

    test('of one workspace have different names', async () => {
      await expect(insertDataset(db(), dataset('third', 4, { name: 'older' }))).rejects.toMatchObject({ code: 'not_unique' })
      const renamed = dataset('newer', 2, { status: 'ready', name: 'older' })
      await expect(updateDataset(db(), renamed)).rejects.toMatchObject({ code: 'not_unique' })
    })
  })
})

describe('progress', () => {
  eachDatabase(db => {
    let nos: number[]
    beforeAll(async () => {
      await addWorkspaces(db())
      await insertDataset(db(), dataset('d1', 1))
      await addUser(db(), 'younger', 2)
      await addUser(db(), 'older', 1)
      nos = await addRecords(db(), 'd1', ['completed', 'pending', 'pending', 'pending'])
      await insertDataset(db(), dataset('d2', 2))
      await addRecords(db(), 'd2', ['pending'])
      const [first = 0, second = 0, third = 0] = nos
      await addResponse(db(), first, 'younger', 'submitted')
      await addResponse(db(), second, 'younger', 'draft')
      await addResponse(db(), third, 'younger', 'draft')
      await addResponse(db(), first, 'older', 'discarded')
      await insertDatasetUsers(db(), 'd1', ['younger'], time(5))
      await insertDatasetUsers(db(), 'd1', ['older'], time(6))
      await insertDatasetUsers(db(), 'd1', ['younger'], time(7))
    })

    test('names users in the order of their first response', async () => {
      const contributors = await listContributors(db(), ['d1', 'd2'])
      expect(contributors.map(({ dataset_id, id }) => [dataset_id, id])).toEqual([
        ['d1', 'younger'],
        ['d1', 'older'],
      ])
    })

    test('counts responses of each user, users in the order of their accounts', async () => {
      const [first, ...rest] = await countResponsesByUser(db(), 'd1')
      expect(first).toEqual({ username: 'older', record_status: 'completed', response_status: 'discarded', count: 1 })
      expect(rest).toHaveLength(2)
      expect(rest).toContainEqual({ username: 'younger', record_status: 'pending', response_status: 'draft', count: 2 })
      const counts = await countResponsesOf(db(), ['d1', 'd2'], 'younger')
      expect(counts.toSorted((a, b) => a.count - b.count)).toEqual([
        { dataset_id: 'd1', status: 'submitted', count: 1 },
        { dataset_id: 'd1', status: 'draft', count: 2 },
      ])
    })

    test('walks records with a response by number, and writes their status', async () => {
      const [first = 0, second = 0, third = 0] = nos
      const listed = await listAnsweredRecordsAfter(db(), 'd1', { after: first, limit: 10 })
      expect(listed).toEqual([second, third].map(no => ({ no, id: `d1-${no}`, status: 'pending' })))
      await updateStatuses(db(), [{ no: third, status: 'completed', updated_at: time(9) }])
      const [last] = await listAnsweredRecordsAfter(db(), 'd1', { after: second, limit: 1 })
      expect(last).toEqual({ no: third, id: `d1-${third}`, status: 'completed' })
    })

    test('finds records to remove, of the dataset only', async () => {
      expect(await listSomeRecordNumbers(db(), 'd1', 2)).toHaveLength(2)
      expect(new Set(await listSomeRecordNumbers(db(), 'd1', 10))).toEqual(new Set(nos))
    })

    test('does not name users whose responses are still to be removed', async () => {
      await hideUser(db(), 'older')
      expect(new Set((await countResponsesByUser(db(), 'd1')).map(({ username }) => username))).toEqual(new Set(['younger']))
    })
  })
})
