import { beforeAll, describe, expect, test } from 'vitest'
import { insertHead } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { deleteRecords, insertRecords } from '../records/store.ts'
import { deleteUserRow } from '../users/store.ts'
import {
  countComments,
  countFlags,
  deleteComment,
  deleteFlag,
  insertComment,
  insertFlag,
  listComments,
  listFlaggedIds,
  listFlags,
  listRecordWorkspaces,
  loadComment,
} from './store.ts'

const time = (second: number) => `2026-01-05T10:11:0${second}.000000`

async function addUser(db: Database, id: string): Promise<void> {
  const times = { inserted_at: time(1), updated_at: time(1) }
  const row = { id, first_name: id, last_name: null, username: id, role: 'annotator', password_hash: '', ...times }
  await db.kysely
    .insertInto('users')
    .values({ ...row, api_key_hash: id, api_key_encrypted: id })
    .execute()
}

async function addRecord(db: Database, no: number): Promise<void> {
  const row = {
    no,
    id: `r${no}`,
    dataset_id: 'd1',
    external_id: null,
    status: 'pending',
    shuffle: 0,
    fields: '{}',
    metadata: null,
  }
  await insertRecords(db, [{ ...row, inserted_at: time(1), updated_at: time(1) }])
}

const comment = (id: string, record_id: string, second: number) => ({
  id,
  record_id,
  user_id: 'lena',
  username: 'lena',
  body: 'Ünïcode 👍',
  inserted_at: time(second),
})

describe('flags and comments', () => {
  eachDatabase(db => {
    beforeAll(async () => {
      await insertHead(db(), 'd1', time(1))
      for (const id of ['lena', 'max']) await addUser(db(), id)
      for (const no of [1, 2, 3]) await addRecord(db(), no)
    })

    test('a flag is kept once per record and user', async () => {
      expect(await insertFlag(db(), { record_id: 'r1', user_id: 'lena' }, time(2))).toBe(true)
      expect(await insertFlag(db(), { record_id: 'r1', user_id: 'lena' }, time(3))).toBe(false)
      await insertFlag(db(), { record_id: 'r2', user_id: 'lena' }, time(4))
      await insertFlag(db(), { record_id: 'r3', user_id: 'max' }, time(4))
      expect(await listFlags(db(), 'd1', 'lena', 10)).toEqual([
        { record_id: 'r2', inserted_at: time(4) },
        { record_id: 'r1', inserted_at: time(2) },
      ])
      expect(await listFlags(db(), 'd1', 'lena', 1)).toHaveLength(1)
      expect(await countFlags(db(), 'd1', 'lena')).toBe(2)
      expect(await countFlags(db(), 'd2', 'lena')).toBe(0)
      expect(await listFlaggedIds(db(), ['r1', 'r2', 'r3'], 'lena')).toEqual(new Set(['r1', 'r2']))
      expect(await deleteFlag(db(), { record_id: 'r2', user_id: 'lena' })).toBe(true)
      expect(await deleteFlag(db(), { record_id: 'r2', user_id: 'lena' })).toBe(false)
      expect(await countFlags(db(), 'd1', 'lena')).toBe(1)
    })

    test('comments are listed by time and counted by record', async () => {
      for (const one of [comment('c2', 'r1', 3), comment('c1', 'r1', 2), comment('c3', 'r2', 1)]) await insertComment(db(), one)
      expect(await listComments(db(), 'r1', 10)).toEqual([comment('c1', 'r1', 2), comment('c2', 'r1', 3)])
      expect(await countComments(db(), ['r1', 'r2', 'r3'])).toEqual(
        new Map([
          ['r1', 2],
          ['r2', 1],
        ]),
      )
      expect(await loadComment(db(), 'c3')).toEqual(comment('c3', 'r2', 1))
      await deleteComment(db(), 'c3')
      await expect(loadComment(db(), 'c3')).rejects.toThrow(/`c3` not found/)
    })

    test('records whose dataset is gone have no workspace', async () => {
      expect(await listRecordWorkspaces(db(), ['r1'])).toEqual([])
    })

    test('both go with their record and with their user', async () => {
      await deleteRecords(db(), [1])
      expect(await countComments(db(), ['r1'])).toEqual(new Map())
      expect(await listFlaggedIds(db(), ['r1'], 'lena')).toEqual(new Set())
      await insertComment(db(), comment('c4', 'r2', 1))
      await insertFlag(db(), { record_id: 'r2', user_id: 'lena' }, time(2))
      await deleteUserRow(db(), 'lena')
      expect(await countComments(db(), ['r2'])).toEqual(new Map())
      expect(await listFlaggedIds(db(), ['r2'], 'lena')).toEqual(new Set())
    })
  })
})
