/** Exports to files: errors, lists, downloads, canceling, streams, and permissions lost during an export. */
import type { Export, ExportPage } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRows } from '../databases/rows.ts'
import { download, exportFile, untilExported } from './exports-world.ts'
import { fresh, openWorld, type World } from './http.ts'
import { aHubDataset, QUESTIONS } from './hub-world.ts'

const RECORDS = 1_000

let world: World
let datasetId: Id
let path: string
beforeAll(async () => {
  world = await openWorld()
  datasetId = await aDataset(RECORDS)
  path = `/datasets/${datasetId}/exports`
})
afterAll(() => world?.close())

async function aDataset(records: number): Promise<Id> {
  const id = await aHubDataset(world.owner, world.workspaceId, {
    questions: [
      { name: 'label', settings: QUESTIONS.label },
      { name: 'span', settings: QUESTIONS.span },
    ],
  })
  for (let start = 0; start < records; start += 500) {
    const count = Math.min(500, records - start)
    const items = Array.from({ length: count }, (_, index) => ({
      external_id: `r${start + index}`,
      fields: { text: `${'text '.repeat(200)}${start + index}` },
    }))
    await world.owner.done(`POST /datasets/${id}/records/bulk`, { items })
  }
  return id
}

const start = (body: object = { format: 'jsonl' }) => world.memberAdmin.done<Export>(`POST ${path}`, body)

describe('a request is refused', () => {
  const user = '00000000-0000-4000-8000-000000000000'
  test.each([
    { body: { format: 'csv', columns: ['id', 'nothing'] }, status: 422, says: '`nothing` is not a column of this dataset' },
    { body: { format: 'csv', columns: ['label.resolved'] }, status: 422, says: 'None of the columns belongs to' },
    { body: { format: 'csv', responses: { of: 'user' } }, status: 422, says: '`user_id` goes together' },
    { body: { format: 'csv', responses: { of: 'all', user_id: user } }, status: 422, says: '`user_id` goes together' },
    { body: { format: 'csv', responses: { of: 'user', user_id: user } }, status: 404, says: user },
    { body: { format: 'csv', responses: { of: 'resolved' }, shape: 'long' }, status: 422, says: 'a row for each response' },
    { body: { format: 'disk', columns: ['id'] }, status: 422, says: 'has no columns to choose' },
    { body: { format: 'disk', responses: { of: 'none' } }, status: 422, says: 'has the responses of `all`' },
    { body: { format: 'conll', shape: 'long', responses: { of: 'all' } }, status: 422, says: 'has no long shape' },
    { body: { format: 'conll', responses: { of: 'none' } }, status: 422, says: 'is made of responses' },
    { body: { format: 'conll', question: 'label' }, status: 422, says: 'Expected one of: `span`' },
    { body: { format: 'csv', question: 'span' }, status: 422, says: 'are about one question' },
    {
      body: { format: 'csv', search: { sort: [{ scope: { entity: 'metadata', metadata_property: 'no' }, order: 'asc' }] } },
      status: 422,
      says: 'search.sort.0',
    },
    { body: { format: 'csv', search: { query: { vector: { name: 'no', value: [1] } } } }, status: 422, says: 'no vector `no`' },
  ])('$body', async ({ body, status, says }) => {
    const answer = await world.memberAdmin.send(`POST ${path}`, body)
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.stringContaining(says) })
  })

  test('without a span question, for CoNLL', async () => {
    const id = await aHubDataset(world.owner, world.workspaceId)
    const answer = await world.owner.send(`POST /datasets/${id}/exports`, { format: 'spacy' })
    expect(answer).toMatchObject({ status: 422, text: expect.stringContaining('has no span question') })
  })
})

describe('the list', () => {
  test('has exports newest first, in pages, with files and progress', async () => {
    const id = await aDataset(3)
    const ids: Id[] = []
    for (const format of ['jsonl', 'csv', 'parquet']) {
      const { id: exportId } = await world.owner.done<Export>(`POST /datasets/${id}/exports`, { format })
      ids.unshift(exportId)
      await untilExported(world.owner, exportId)
    }
    const first = await world.memberAdmin.done<ExportPage>(`GET /datasets/${id}/exports?limit=2`)
    const second = await world.memberAdmin.done<ExportPage>(`GET /datasets/${id}/exports?limit=2&before=${first.next}`)
    expect([...first.items, ...second.items].map(item => item.id)).toEqual(ids)
    expect(second.next).toBeNull()
    expect(first.items[0]).toMatchObject({
      format: 'parquet',
      progress: { done: 3, total: 3 },
      file: { size: expect.any(Number) },
    })
    expect(second.items[0]?.file?.name).toMatch(/^hub \d+\.jsonl$/)
  })

  test('keeps an export after its job is forgotten', async () => {
    const { id } = await untilExported(world.owner, (await start()).id)
    const before = await world.owner.done<Export>(`GET /exports/${id}`)
    await runRows(world.server, 'delete from jobs where id = ?', [id])
    expect(await world.owner.done(`GET /exports/${id}`)).toEqual(before)
  })
})

describe('a download', () => {
  test('has a name, a type and a length, and can be continued', async () => {
    const { id, file } = await untilExported(world.owner, (await start({ format: 'csv' })).id)
    const size = file?.size ?? 0
    expect(size).toBeGreaterThan(1_048_576)
    const whole = await download(world, world.memberAdmin, `/exports/${id}/file`)
    expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(whole.headers.get('content-disposition')).toContain(`filename="${file?.name}"`)
    const range = `bytes=${1_048_570}-${1_048_585}`
    const part = await download(world, world.memberAdmin, `/exports/${id}/file`, { range })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `${range.replace('=', ' ')}/${size}`])
    expect(part.bytes).toEqual(whole.bytes.subarray(1_048_570, 1_048_586))
  })

  test('is not there before the export is finished, nor after its file has expired', async () => {
    const { id } = await untilExported(world.owner, (await start()).id)
    const get = async () => (await world.owner.send(`GET /exports/${id}/file`)).status
    await runRows(world.server, "update files set expires_at = '2020-01-01T00:00:00.000000' where job_id = ?", [id])
    expect(await get()).toBe(404)
    expect(await world.owner.done(`GET /exports/${id}`)).toMatchObject({ status: 'finished', file: null })
    const soon = new Date(Date.now() + 50_000).toISOString().slice(0, 23)
    await runRows(world.server, "update jobs set status = 'queued', run_at = ? where id = ?", [soon, id])
    expect(await get()).toBe(409)
  })
})

describe('canceling', () => {
  test('ends an export that waits, once and for all', async () => {
    const { id } = await untilExported(world.owner, (await start()).id)
    expect((await world.memberAdmin.send(`POST /exports/${id}/cancel`)).status).toBe(409)
    const soon = new Date(Date.now() + 50_000).toISOString().slice(0, 23)
    await runRows(world.server, "update jobs set status = 'queued', run_at = ?, finished_at = null where id = ?", [soon, id])
    for (let i = 0; i < 2; i++) {
      expect(await world.memberAdmin.done(`POST /exports/${id}/cancel`)).toMatchObject({ status: 'canceled', file: null })
    }
    await runRows(world.server, 'delete from jobs where id = ?', [id])
    expect(await world.memberAdmin.done(`GET /exports/${id}`)).toMatchObject({ status: 'canceled', file: null })
  })
})

describe('an export that cannot be made any more fails with the reason', () => {
  /** Runs an export again with a changed payload. */
  async function runAgain(change: (payload: { actor_id: Id; order: object }) => object): Promise<Export> {
    const { id } = await untilExported(world.owner, (await start()).id)
    const [row] = await runRows<{ payload: string }>(world.server, 'select payload from jobs where id = ?', [id])
    const payload = JSON.stringify(change(JSON.parse(row?.payload ?? '')))
    const text = "update jobs set status = 'queued', run_at = ?, finished_at = null, payload = ? where id = ?"
    await runRows(world.server, text, [new Date().toISOString().slice(0, 23), payload, id])
    return untilExported(world.owner, id)
  }

  test('a user who has lost access to the records gets no file', async () => {
    const user = { username: fresh('gone'), first_name: 'Gone', role: 'annotator', password: 'password-of-gone' }
    const { id } = await world.owner.done<{ id: Id }>('POST /users', user)
    const ended = await runAgain(payload => ({ ...payload, actor_id: id }))
    expect(ended).toMatchObject({ status: 'failed', file: null, error: expect.stringContaining('may not read the records') })
  })

  test.each([
    { given: 'a column', change: { columns: ['gone'] }, says: '`gone` is not a column' },
    { given: 'a span question', change: { format: 'conll', question: 'gone' }, says: '`gone` is not a span question' },
    { given: 'a field', change: { search: { query: { text: { q: 'a', field: 'gone' } } } }, says: 'no field `gone`' },
  ])('$given that is gone is named', async ({ change, says }) => {
    const ended = await runAgain(payload => ({ ...payload, order: { ...payload.order, ...change } }))
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining(says) })
  })
})

describe('a stream', () => {
  const stream = (body: object) => world.memberAdmin.send(`POST ${path}/stream`, body)

  test.each([
    { format: 'csv' },
    { format: 'jsonl', search: { query: { text: { q: '7' } } } },
    { format: 'jsonl', shape: 'long', columns: ['id', 'response.username'] },
  ])('has the same bytes as the file: $format $search $shape', async body => {
    const { status, text, headers } = await stream(body)
    expect(status).toBe(200)
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    // Decoding the response as text drops the byte order mark.
    const file = (await exportFile(world, world.memberAdmin, datasetId, body)).toString().replace(/^\ufeff/, '')
    expect(text).toBe(file)
    expect(text.split('\n').length).toBeGreaterThan(1)
  })

  test.each([
    { body: { format: 'parquet' }, says: 'is made by a job' },
    { body: { format: 'csv', columns: ['nothing'] }, says: 'is not a column' },
  ])('is refused for $body', async ({ body, says }) => {
    expect(await stream(body)).toMatchObject({ status: 422, text: expect.stringContaining(says) })
  })

  test('is refused for too many records', async () => {
    await runRows(world.server, 'update dataset_heads set records_count = 10001 where dataset_id = ?', [datasetId])
    const answer = await stream({ format: 'csv' })
    await runRows(world.server, 'update dataset_heads set records_count = ? where dataset_id = ?', [String(RECORDS), datasetId])
    expect(answer).toMatchObject({ status: 422, text: expect.stringContaining('more than 10000 records') })
  })

  test('ends with a reader who goes away, and others are served', async () => {
    const controller = new AbortController()
    const answer = await fetch(`${world.server.url}/api/v1${path}/stream`, {
      method: 'POST',
      headers: { 'x-argilla-api-key': world.owner.key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'jsonl' }),
      signal: controller.signal,
    })
    await answer.body?.getReader().read()
    controller.abort()
    expect((await stream({ format: 'csv', columns: ['id'] })).text.split('\r\n')).toHaveLength(RECORDS + 2)
  })
})
