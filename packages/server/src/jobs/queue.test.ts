import { expect, test } from 'vitest'
import type { Database } from '../storage/database.ts'
import { eachDatabase } from '../testing/databases.ts'
import {
  beginAttempt,
  cancelJob,
  claimJob,
  enqueue,
  failJob,
  finishJob,
  type Job,
  noteProgress,
  releaseLeases,
  requeueJob,
  retryJob,
} from './queue.ts'

const NOW = '2026-01-05T10:11:12.131415'
const LEASED = { now: NOW, leasedUntil: '2026-01-05T10:12:12.131415' }
const LEASE = { id: 'a', leased_until: LEASED.leasedUntil }
const CLAIM = { runBy: 'writer' as const, ...LEASED, tooFar: { run_at: '2027-01-01', leased_until: '2027-01-01' } }
const PAYLOAD = { dataset_id: 'd', done: 1 }

eachDatabase((db, openAnother) => {
  const add = async (id: string) => {
    await db().sql.run('delete from jobs')
    await enqueue(db(), { id, now: NOW, name: 'purge-dataset', payload: { dataset_id: 'd' } })
  }
  const row = () => db().sql.get('select status, attempts, error, finished_at, leased_until from jobs')
  const begin = async () => {
    await claimJob(db(), CLAIM)
    return beginAttempt(db(), LEASE, LEASED)
  }

  test('an attempt counts when it begins, and progress sets the count and the error back', async () => {
    await add('a')
    expect(await claimJob(db(), CLAIM)).toMatchObject({ id: 'a', attempts: 0 })
    expect(await row()).toMatchObject({ status: 'started', attempts: 0 })
    expect(await beginAttempt(db(), LEASE, LEASED)).toBe(true)
    expect(await row()).toMatchObject({ status: 'started', attempts: 1 })
    expect(await retryJob(db(), { ...LEASE, attempts: 1 }, { error: 'no', retryAt: NOW, now: NOW })).toBe(true)
    expect(await row()).toMatchObject({ status: 'queued', attempts: 1, error: 'no', leased_until: null })
    expect(await begin()).toBe(true)
    expect(await row()).toMatchObject({ status: 'started', attempts: 2, error: 'no' })
    expect(await noteProgress(db(), LEASE, { ...LEASED, payload: PAYLOAD })).toBe(true)
    expect(await row()).toMatchObject({ status: 'started', attempts: 0, error: null })
    await releaseLeases(db(), 'writer')
    expect(await claimJob(db(), CLAIM)).toMatchObject({ attempts: 0, payload: PAYLOAD })
    expect(await finishJob(db(), LEASE, NOW)).toBe(true)
    expect(await row()).toMatchObject({ status: 'finished', error: null, finished_at: NOW })
  })

  test('a job that was given up is queued again with all its attempts; another one is not', async () => {
    await add('a')
    await requeueJob(db(), 'a', '2026-02-01')
    await begin()
    expect(await failJob(db(), LEASE, { error: 'no', now: NOW })).toBe(true)
    expect(await row()).toMatchObject({ status: 'failed', attempts: 1, error: 'no', finished_at: NOW })
    await requeueJob(db(), 'a', NOW)
    expect(await row()).toEqual({ status: 'queued', attempts: 0, error: null, finished_at: null, leased_until: null })
    expect(await claimJob(db(), CLAIM)).toMatchObject({ id: 'a' })
  })

  test('a job that is canceled while a piece runs stays so, whatever the worker says after that', async () => {
    await add('a')
    await begin()
    expect(await cancelJob(db(), 'a', NOW)).toBe(true)
    const canceled = await row()
    expect(canceled).toMatchObject({ status: 'canceled', finished_at: NOW })
    const said = [
      await beginAttempt(db(), LEASE, LEASED),
      await noteProgress(db(), LEASE, { ...LEASED, payload: PAYLOAD }),
      await retryJob(db(), { ...LEASE, attempts: 1 }, { error: 'no', retryAt: NOW, now: NOW }),
      await failJob(db(), LEASE, { error: 'no', now: NOW }),
      await finishJob(db(), LEASE, NOW),
      await cancelJob(db(), 'a', NOW),
    ]
    expect(said).toEqual(said.map(() => false))
    expect(await row()).toEqual(canceled)
  })

  test('a worker that stood still until another one took its job changes nothing any more', async () => {
    await add('a')
    await begin()
    const later = { now: '2026-01-05T10:20:00.000000', leasedUntil: '2026-01-05T10:21:00.000000' }
    expect(await claimJob(db(), { ...CLAIM, ...later })).toMatchObject({ id: 'a', attempts: 1 })
    const taken = await row()
    const said = [
      await beginAttempt(db(), LEASE, LEASED),
      await noteProgress(db(), LEASE, { ...LEASED, payload: PAYLOAD }),
      await retryJob(db(), { ...LEASE, attempts: 1 }, { error: 'no', retryAt: NOW, now: NOW }),
      await failJob(db(), LEASE, { error: 'no', now: NOW }),
      await finishJob(db(), LEASE, NOW),
    ]
    expect(said).toEqual(said.map(() => false))
    expect(await row()).toEqual(taken)
    expect(await finishJob(db(), { id: 'a', leased_until: later.leasedUntil }, later.now)).toBe(true)
  })

  test('a job is taken once, also by two processes', async () => {
    // SQLite is used by one process only, which runs one transaction at a time.
    const isShared = db().dialect.name !== 'sqlite'
    await add('a')
    await enqueue(db(), { id: 'b', now: NOW, name: 'purge-dataset', payload: { dataset_id: 'd' } })
    const other = openAnother()
    try {
      const claims: (Job | null)[] = []
      const claim = async (handle: Database) => void claims.push(await handle.transaction(tx => claimJob(tx, CLAIM)))
      if (isShared) await Promise.all([db(), other, db(), other].map(claim))
      else for (let i = 0; i < 4; i++) await claim(db())
      expect(claims.map(claim => claim?.id ?? '-').toSorted()).toEqual(['-', '-', 'a', 'b'])
    } finally {
      await other.close()
    }
  })
})
