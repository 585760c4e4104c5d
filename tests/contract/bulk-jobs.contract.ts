/** Bulk jobs: one answer for many records, progress and undo; and idempotent writes. */
import { setTimeout } from 'node:timers/promises'
import type { BulkJob } from '@postil/domain/bulk-jobs'
import type { RecordResponse, ResponsesBulk, ResponseVersion } from '@postil/domain/responses'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectConflict, expectProblems, expectRefused, TIMESTAMP } from './answers.ts'
import { aDataset, addRecords, aRecord, type BuiltDataset, draft, readRecord, SMALL, submitted } from './datasets.ts'
import { sharedWorld, type World } from './http.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const SEARCH = { query: { text: { q: 'apple' } } }
const ask = (dataset: BuiltDataset, body: object) =>
  world.memberAnnotator.send<BulkJob>(`POST /me/datasets/${dataset.id}/responses/by-filter`, {
    query: SEARCH,
    action: { type: 'respond', ...submitted() },
    ...body,
  })

async function ended(id: string): Promise<BulkJob> {
  for (;;) {
    const job = await world.memberAnnotator.done<BulkJob>(`GET /me/bulk-jobs/${id}`)
    if (job.finished_at !== null) return job
    await setTimeout(20)
  }
}

describe('a bulk job', () => {
  test('answers what the search finds, and is undone', async () => {
    const dataset = await aDataset(world, SMALL)
    const fields = (text: string) => ({ fields: { text } })
    const records = await addRecords(world, dataset, [fields('red apple'), fields('pear'), fields('apple')])
    const search = `POST /me/datasets/${dataset.id}/records/search?response_status=pending`
    const { total } = await world.memberAnnotator.done<{ total: number }>(search, SEARCH)

    const asked = await ask(dataset, { response_status: 'pending', expected_total: total })
    expect([asked.status, asked.body.total, asked.body.failures]).toEqual([202, 2, []])
    const job = await ended(asked.body.id)
    expect(job).toMatchObject({ id: asked.body.id, status: 'finished', total: 2, done: 2, failed: 0, undone: false })
    expect(job.finished_at).toMatch(TIMESTAMP)
    const statuses = async () => Promise.all(records.map(async ({ id }) => (await readRecord(world, id)).status))
    expect(await statuses()).toEqual(['completed', 'pending', 'completed'])

    const undo = await world.memberAnnotator.send<BulkJob>(`POST /me/bulk-jobs/${job.id}/undo`)
    expect([undo.status, undo.body.type, undo.body.undoes]).toEqual([202, 'undo', job.id])
    expect(await ended(undo.body.id)).toMatchObject({ status: 'finished', done: 2 })
    expect(await statuses()).toEqual(['pending', 'pending', 'pending'])
    const { items } = await world.memberAnnotator.done<{ items: BulkJob[] }>(`GET /me/datasets/${dataset.id}/bulk-jobs`)
    expect(items.map(({ id, undone }) => [id, undone])).toEqual([
      [undo.body.id, false],
      [job.id, true],
    ])
  })

  test('that is asked for twice at the same time with one `write_id` is one job', async () => {
    const dataset = await aDataset(world, SMALL)
    await addRecords(
      world,
      dataset,
      Array.from({ length: 200 }, () => ({ fields: { text: 'apple' } })),
    )
    const write_id = 'b0c7c1de-6f52-4d5b-8f0a-0e6f3a5f9d21'
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask(dataset, { expected_total: 200, write_id })))
    expect(new Set(asked.map(({ status, body }) => `${status} ${body.id}`))).toEqual(new Set([`202 ${asked[0]?.body.id}`]))
    const { items } = await world.memberAnnotator.done<{ items: BulkJob[] }>(`GET /me/datasets/${dataset.id}/bulk-jobs`)
    expect(items).toHaveLength(1)
    expect(await ended(asked[0]?.body.id ?? '')).toMatchObject({ done: 200, failed: 0 })
  })

  test('of more or fewer records than expected, or of none that can be found, is refused', async () => {
    const dataset = await aDataset(world, SMALL)
    await aRecord(world, dataset)
    expectConflict(await ask(dataset, { expected_total: 2 }))
    expectRefused(await ask(dataset, { query: { query: { text: { q: 'apple', field: 'no' } } }, expected_total: 1 }))
    expectRefused(await ask(dataset, { action: { type: 'respond', status: 'submitted' }, merge: false, expected_total: 1 }))
    const both = await ask(dataset, { record_ids: [world.owner.id], expected_total: 1 })
    expectProblems(both, [['value_error', 'body']])
  })
})

describe('a response', () => {
  test('that is sent twice is stored once, and one against an old state is refused with the new one', async () => {
    const { id: record_id } = await aRecord(world, await aDataset(world, SMALL))
    const bulk = async (given: object) =>
      (await world.memberAnnotator.done<ResponsesBulk>('POST /me/responses/bulk', { items: [{ record_id, ...given }] })).items[0]
    const write = { ...submitted(), write_id: '6a0c0b0e-2f0e-4f3d-9a54-3c0d6d9b7f11', if_updated_at: null }
    const first = (await bulk(write))?.item as RecordResponse
    expect(await bulk(write)).toEqual({ item: first, error: null })
    const second = (await bulk({ ...draft(), if_updated_at: first.updated_at }))?.item as RecordResponse
    const message = expect.stringMatching(/./)
    expect(await bulk({ ...submitted('sad'), if_updated_at: first.updated_at })).toEqual({
      item: null,
      error: { detail: { code: 'conflict', message, response: second }, code: 'conflict', at: [] },
    })
    const remove = (time: string) =>
      world.memberAnnotator.send(`DELETE /responses/${first.id}?if_updated_at=${encodeURIComponent(time)}`)
    expectConflict(await remove(first.updated_at))
    expect((await remove(second.updated_at)).body).toEqual(second)
    expectRefused(await remove(second.updated_at), 404)

    const { items } = await world.memberAnnotator.done<{ items: ResponseVersion[] }>(`GET /me/records/${record_id}/history`)
    expect(items).toMatchObject([draft(), submitted()])
  })
})
