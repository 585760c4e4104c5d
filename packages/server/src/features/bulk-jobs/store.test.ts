import { expect, test } from 'vitest'
import { cancelJob, claimJob, enqueue, finishJob, releaseLeases } from '../../jobs/queue.ts'
import { insertHead } from '../../storage/changes.ts'
import type { Database } from '../../storage/database.ts'
import type { BulkJobsTable } from '../../storage/tables.ts'
import { eachDatabase } from '../../testing/databases.ts'
import { insertRecords } from '../records/store.ts'
import {
  countOpenJobs,
  deletePiece,
  findBulkJob,
  findBulkJobOfWrite,
  findPiece,
  insertBulkJob,
  listBulkJobsOf,
  listRecordIds,
  listRecordNos,
  loadBulkJob,
  setUndone,
  setUndoneBy,
  toBulkJob,
  toSummary,
  updateProgress,
} from './store.ts'

const NOW = '2026-01-05T10:11:12.131415'
const LATER = '2026-01-05T10:12:12.131415'
const times = { inserted_at: NOW, updated_at: NOW }

async function addOwner(db: Database, name: string): Promise<{ dataset_id: string; user_id: string }> {
  const user = { id: name, username: name, first_name: '', last_name: null, role: 'annotator', password_hash: '' }
  await db.kysely
    .insertInto('users')
    .values({ ...user, api_key_hash: name, api_key_encrypted: '', ...times })
    .execute()
  await db.kysely
    .insertInto('workspaces')
    .values({ id: name, name, ...times })
    .execute()
  const settings = { guidelines: null, allow_extra_metadata: 1, status: 'ready', distribution: '{}', metadata: null }
  const dataset = { id: name, workspace_id: name, name, ...settings, ...times }
  await db.kysely.insertInto('datasets').values(dataset).execute()
  await insertHead(db, name, NOW)
  return { dataset_id: name, user_id: name }
}

const aJob = (owner: { dataset_id: string; user_id: string }, id: string): BulkJobsTable => ({
  id,
  ...owner,
  type: 'respond',
  response_status: 'draft',
  request: '{}',
  status: 'queued',
  total: 3,
  done: 0,
  failed: 0,
  failures: '[]',
  undoes: null,
  undone_by: null,
  undone: 0,
  write_id: `write-${id}`,
  inserted_at: NOW,
  finished_at: null,
})

eachDatabase(db => {
  test('a job is kept with its pieces, and told to its user only', async () => {
    const owner = await addOwner(db(), 'ann')
    await insertBulkJob(db(), aJob(owner, 'a1'), [['r1', 'r2'], ['r3']])
    await enqueue(db(), { id: 'a1', now: NOW, name: 'bulk-responses', payload: { bulk_job_id: 'a1' } })
    expect(await countOpenJobs(db(), 'ann')).toBe(1)
    await expect(loadBulkJob(db(), 'a1', 'ben')).rejects.toMatchObject({ code: 'not_found' })
    expect((await findBulkJobOfWrite(db(), 'ann', 'write-a1'))?.id).toBe('a1')
    expect(await findBulkJobOfWrite(db(), 'ben', 'write-a1')).toBeNull()

    expect(await findPiece(db(), 'a1')).toEqual({ position: 0, recordIds: ['r1', 'r2'] })
    await deletePiece(db(), 'a1', 0)
    expect(await findPiece(db(), 'a1')).toEqual({ position: 1, recordIds: ['r3'] })
    const failures = '[{"record_id":"r1","reason":"no"}]'
    await updateProgress(db(), { id: 'a1', status: 'started', done: 1, failed: 1, failures, finished_at: null })
    const row = await loadBulkJob(db(), 'a1', 'ann')
    expect(toBulkJob(row)).toMatchObject({ status: 'started', done: 1, failed: 1, failures: [{ record_id: 'r1', reason: 'no' }] })
    await setUndoneBy(db(), 'a1', 'u')
    await setUndone(db(), 'a1')
    expect((await listBulkJobsOf(db(), 'ann', 'ann')).map(toSummary)).toMatchObject([{ id: 'a1', undone: true, undone_by: 'u' }])
  })

  test('a job that was given up has failed, and one that was canceled stays so', async () => {
    const owner = await addOwner(db(), 'cid')
    await insertBulkJob(db(), aJob(owner, 'c1'), [])
    expect(toBulkJob((await findBulkJob(db(), 'c1')) as never).status).toBe('failed')
    await enqueue(db(), { id: 'c1', now: NOW, name: 'bulk-responses', payload: { bulk_job_id: 'c1' } })
    expect(toBulkJob((await findBulkJob(db(), 'c1')) as never).status).toBe('queued')
    await updateProgress(db(), { id: 'c1', status: 'canceled', done: 0, failed: 0, failures: '[]', finished_at: NOW })
    await cancelJob(db(), 'c1', NOW)
    await updateProgress(db(), { id: 'c1', status: 'started', done: 3, failed: 0, failures: '[]', finished_at: null })
    await finishJob(db(), { id: 'c1', leased_until: LATER }, NOW)
    expect(await findBulkJob(db(), 'c1')).toMatchObject({ status: 'canceled', done: 0, job_status: 'canceled' })
    expect(await countOpenJobs(db(), 'cid')).toBe(0)
  })

  test('twenty are listed, newest first, and a hundred kept; all go with their dataset', async () => {
    const owner = await addOwner(db(), 'dan')
    for (let i = 100; i < 210; i++) {
      await insertBulkJob(db(), { ...aJob(owner, `d${i}`), status: i === 100 ? 'started' : 'finished' }, [['r']])
    }
    const listed = await listBulkJobsOf(db(), 'dan', 'dan')
    expect(listed.map(row => row.id)).toEqual(Array.from({ length: 20 }, (_, i) => `d${209 - i}`))
    const kept = async () => (await db().sql.all("select id from bulk_jobs where user_id = 'dan'")).length
    expect(await kept()).toBe(101)
    await db().sql.run("delete from datasets where id = 'dan'")
    expect([await kept(), await findPiece(db(), 'd209')]).toEqual([0, null])
  })

  test('records are found by id and by number; those that do not exist are left out', async () => {
    const { dataset_id } = await addOwner(db(), 'eve')
    const [first = 0, second = 0] = await db().sql.reserveNumbers('records', 2)
    const rest = { dataset_id, external_id: null, status: 'pending', fields: '{}', metadata: null, ...times }
    await insertRecords(db(), [
      { no: first, id: 'e-first', shuffle: 1, ...rest },
      { no: second, id: 'e-second', shuffle: 2, ...rest },
    ])
    expect(await listRecordNos(db(), ['e-second', 'e-none'])).toEqual([second])
    expect(await listRecordNos(db(), [])).toEqual([])
    expect(await listRecordIds(db(), [second, second + 1, first])).toEqual(['e-second', 'e-first'])
  })

  test('a lease that is released can be taken at once', async () => {
    await db().sql.run('delete from jobs')
    await enqueue(db(), { id: 'e1', now: NOW, name: 'bulk-responses', payload: { bulk_job_id: 'e1' } })
    const claim = () =>
      claimJob(db(), {
        now: NOW,
        leasedUntil: LATER,
        runBy: 'writer',
        tooFar: { run_at: '2027-01-01', leased_until: '2027-01-01' },
      })
    expect(await claim()).toMatchObject({ id: 'e1', attempts: 0 })
    expect(await claim()).toBeNull()
    await releaseLeases(db(), 'writer')
    expect(await claim()).toMatchObject({ id: 'e1', attempts: 0 })
  })
})
