import { type DatasetRecord, RECORDS_BULK_MAX } from '@postil/domain/records'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { createRecordsInChunks, deleteRecordsInChunks, iterateRecords, writeRecords } from './records.ts'
import { submitResponses } from './responses.ts'

const DATASET = '0193a0b0-0000-7000-8000-000000000001'
const RECORD = '0193a0b0-0000-7000-8000-000000000002'

interface Sent {
  method: string
  url: URL
  items: unknown[]
}

/** Returns a client whose calls are answered by `answer`; `sent` collects them. */
function clientOf(
  answer: (sent: Sent, no: number) => { status?: number; body: object | null },
  options: Partial<ClientOptions> = {},
) {
  const sent: Sent[] = []
  const fetch = async (url: string, { method = '', body }: RequestInit) => {
    const one = { method, url: new URL(url), items: body ? JSON.parse(String(body)).items : [] }
    sent.push(one)
    const { status = 200, body: answered } = answer(one, sent.length - 1)
    return new Response(answered && JSON.stringify(answered), { status })
  }
  return { client: createClient({ url: 'http://postil.test', fetch, ...options }), sent }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const records = (count: number) => numbers(count).map(index => ({ fields: { text: String(index) } }))

describe('iterateRecords', () => {
  /** Responds with pages of a dataset of `count` records, for lists and searches. */
  const datasetOf = (count: number) =>
    clientOf(({ method, url }) => {
      const [offset, limit] = ['offset', 'limit'].map(name => Number(url.searchParams.get(name)))
      const page = numbers(count).slice(offset, (offset ?? 0) + (limit ?? 0))
      const items = page.map(index => (method === 'GET' ? { id: index } : { record: { id: index }, query_score: null }))
      return { body: { items, total: count } }
    })
  const collect = async (found: AsyncIterable<DatasetRecord>) => (await Array.fromAsync(found)).map(({ id }) => Number(id))
  const offsets = (sent: Sent[]) => sent.map(({ url }) => Number(url.searchParams.get('offset')))

  test.each([
    { count: 0, pages: [0] },
    { count: 1, pages: [0, 1] },
    { count: 5, pages: [0, 2, 4, 5] },
    { count: 6, pages: [0, 2, 4, 6] },
  ])('lists $count records in pages of 2 until one is empty', async ({ count, pages }) => {
    const { client, sent } = datasetOf(count)
    expect(await collect(iterateRecords(client, DATASET, { pageSize: 2 }))).toEqual(numbers(count))
    expect(offsets(sent)).toEqual(pages)
    expect(sent.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('searches when a search is given', async () => {
    const { client, sent } = datasetOf(3)
    const query = { search: { query: { text: { q: 'word' } } }, include: ['responses', 'vectors'], pageSize: 2 }
    expect(await collect(iterateRecords(client, DATASET, query))).toEqual([0, 1, 2])
    expect(sent.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(
      numbers(3).map(() => `POST /api/v1/datasets/${DATASET}/records/search`),
    )
    expect(sent[0]?.url.searchParams.getAll('include')).toEqual(['responses', 'vectors'])
  })

  test('requests no further page after the caller stops', async () => {
    const { client, sent } = datasetOf(100)
    for await (const { id } of iterateRecords(client, DATASET, { pageSize: 10 })) if (Number(id) === 12) break
    expect(offsets(sent)).toEqual([0, 10])
  })

  test('limits the page size to the maximum of the server', async () => {
    const { client, sent } = datasetOf(1)
    await collect(iterateRecords(client, DATASET, { pageSize: 5000 }))
    await collect(iterateRecords(client, DATASET))
    expect(sent.map(({ url }) => url.searchParams.get('limit'))).toEqual(['1000', '1000', '100', '100'])
  })
})

describe('records are written in chunks', () => {
  const sizes = (sent: Sent[]) => sent.map(({ items }) => items.length)
  const stored = ({ items }: Sent) => ({ body: { items, updated_item_ids: items.slice(0, 1) } })

  test.each([
    { count: 0, chunks: [] },
    { count: 100, chunks: [100] },
    { count: 101, chunks: [100, 1] },
    { count: 250, chunks: [100, 100, 50] },
  ])('$count records -> $chunks', async ({ count, chunks }) => {
    const { client, sent } = clientOf(stored)
    const done: number[] = []
    const counts = await writeRecords(client, DATASET, records(count), { onProgress: many => done.push(many) })
    expect(sizes(sent)).toEqual(chunks)
    expect(counts).toEqual({ created: count - chunks.length, updated: chunks.length })
    expect(done).toEqual(chunks.map((_, index) => Math.min(count, (index + 1) * 100)))
    expect(sent.flatMap(({ items }) => items)).toEqual(records(count))
  })

  test.each([
    { batchSize: 0, first: 1 },
    { batchSize: 499, first: 499 },
    { batchSize: 500, first: 500 },
    { batchSize: 501, first: RECORDS_BULK_MAX },
  ])('a batch size of $batchSize sends $first at a time', async ({ batchSize, first }) => {
    const { client, sent } = clientOf(stored)
    await writeRecords(client, DATASET, records(first + 1), { batchSize })
    expect(sizes(sent)).toEqual([first, 1])
  })

  test('the client’s batch size counts where no other is given', async () => {
    const { client, sent } = clientOf(stored, { batchSize: 2 })
    await writeRecords(client, DATASET, records(3))
    await writeRecords(client, DATASET, records(3), { batchSize: 3 })
    expect(sizes(sent)).toEqual([2, 1, 3])
  })

  test('they may come from a generator, and are created when asked', async () => {
    const { client, sent } = clientOf(({ items }) => ({ status: 201, body: { items } }))
    async function* generate() {
      yield* records(3)
    }
    expect(await createRecordsInChunks(client, DATASET, generate(), { batchSize: 2 })).toBe(3)
    expect(sent.map(({ method, items }) => [method, items.length])).toEqual([
      ['POST', 2],
      ['POST', 1],
    ])
  })

  test('an error names the position among all of them, and nothing is sent after it', async () => {
    const detail = 'at items.3.fields.text: too long'
    const { client, sent } = clientOf((one, no) => (no === 1 ? { status: 422, body: { detail } } : stored(one)))
    await expect(writeRecords(client, DATASET, records(30), { batchSize: 10 })).rejects.toMatchObject({
      code: 'unprocessable',
      at: ['items', 13, 'fields', 'text'],
      message: 'too long',
    })
    expect(sent.length).toBe(2)
  })

  test('so do problems of shape', async () => {
    const errors = [
      { type: 'missing', loc: ['body', 'items', 0, 'responses', 2], msg: 'text' },
      { type: 'value_error', loc: ['body', 'items'], msg: 'text' },
    ]
    const { client } = clientOf((one, no) => {
      return no === 1 ? { status: 422, body: { detail: { code: 'x', params: { errors } } } } : stored(one)
    })
    await expect(writeRecords(client, DATASET, records(2), { batchSize: 1 })).rejects.toMatchObject({
      problems: [{ loc: ['body', 'items', 1, 'responses', 2] }, { loc: ['body', 'items'] }],
    })
  })

  test('they are deleted a hundred ids at a time', async () => {
    const { client, sent } = clientOf(() => ({ status: 204, body: null }), { batchSize: 500 })
    expect(await deleteRecordsInChunks(client, DATASET, numbers(201).map(String))).toBe(201)
    expect(sent.map(({ url }) => url.searchParams.get('ids')?.split(',').length)).toEqual([100, 100, 1])
  })
})

describe('submitResponses', () => {
  const response = { status: 'submitted', record_id: RECORD, values: { label: { value: 'a' } } } as const

  test('sends a hundred at a time and collects what failed, by position', async () => {
    const { client, sent } = clientOf(({ items }) => ({
      body: {
        items: items.map((_, index) => (index === 2 ? { item: null, error: { detail: 'no' } } : { item: {}, error: null })),
      },
    }))
    const { responses, failures } = await submitResponses(client, Array(205).fill(response), { batchSize: 1000 })
    expect(sent.map(({ items }) => items.length)).toEqual([100, 100, 5])
    expect(responses.length).toBe(202)
    expect(failures).toEqual([2, 102, 202].map(index => ({ index, response, detail: 'no' })))
  })

  test('counts a response that the server said nothing about as failed', async () => {
    const { client } = clientOf(() => ({ body: { items: [] } }))
    expect((await submitResponses(client, [response])).failures).toMatchObject([{ index: 0 }])
  })
})
