/**
 * Successful requests for each operation: those of the contract tests, and some for a dataset with every type of field, question,
 * metadata property and vector. The fuzzer starts from them, because random ids never reach a use case.
 */
import { CONTRACTS } from '@postil/domain/api/all'
import { addAnsweredRecords } from '../contract/answered-records.ts'
import { aDataset, addRecords, type BuiltDataset, first, idOf, submitted } from '../contract/datasets.ts'
import { FILTERS, SORTS } from '../contract/filter-cases.ts'
import type { World } from '../contract/http.ts'
import type { CaseRequest } from '../contract/route-case.ts'
import { CASES } from '../contract/route-cases.ts'

/** More than one, because a request may delete or change what it refers to. */
const REQUESTS_PER_OPERATION = 2

export interface SeedRequest {
  params: Record<string, string>
  query: Record<string, string>
  body?: unknown
}

/** Returns requests by operation id. */
export async function seedRequests(world: World): Promise<Record<string, SeedRequest[]>> {
  const requests: Record<string, SeedRequest[]> = {}
  for (const { id } of CONTRACTS) requests[id] = await caseRequests(world, id)
  for (const [id, more] of Object.entries(await richRequests(world))) requests[id]?.push(...more)
  return requests
}

async function caseRequests(world: World, id: string): Promise<SeedRequest[]> {
  const requests: SeedRequest[] = []
  for (let i = 0; i < REQUESTS_PER_OPERATION; i++) {
    const request = await CASES[id]?.request(world)
    if (request === undefined) throw new Error(`${id} has no case`)
    requests.push(toSeed(request))
  }
  return requests
}

const toSeed = ({ params = {}, query = '', body }: CaseRequest): SeedRequest => ({
  params,
  query: Object.fromEntries(new URLSearchParams(query)),
  // The cases send forms as text; the fuzzer encodes them itself.
  body: body instanceof URLSearchParams ? Object.fromEntries(body) : body,
})

const VALUES = {
  mood: { value: 'happy' },
  topics: { value: ['food', 'art'] },
  quality: { value: 4 },
  order: { value: ['a', 'b', 'c'].map((value, i) => ({ value, rank: i + 1 })) },
  spots: { value: [{ label: 'person', start: 2, end: 5 }] },
  comment: { value: 'Hm' },
}

async function richRequests(world: World): Promise<Record<string, SeedRequest[]>> {
  const dataset = await aDataset(world, { min_submitted: 2 })
  const answered = await addAnsweredRecords(world, dataset)
  const similar = first(await addRecords(world, dataset, [richRecord(world, dataset, 'seed-0')]))
  for (const { id } of answered) {
    await world.memberAnnotator.done(`POST /records/${id}/comments`, { body: 'Is this one letter?' })
    await world.memberAnnotator.done(`PUT /me/records/${id}/flag`)
  }
  const params = { dataset_id: dataset.id }
  const about = (body: unknown, query: Record<string, string> = {}): SeedRequest => ({ params, query, body })
  const ofRecords = (body?: unknown): SeedRequest[] =>
    [similar, ...answered].map(({ id }) => ({ params: { record_id: id }, query: {}, body }))
  const records = about({ items: [1, 2].map(i => richRecord(world, dataset, `seed-${i}`)) })
  const searches = [
    about({
      filters: { and: FILTERS.slice(0, 50).map(([filter]) => filter) },
      sort: SORTS.map(([scope]) => ({ scope, order: 'asc' })),
    }),
    about({ query: { text: { q: 'green', field: 'text' } } }, { include: 'responses,suggestions,vectors', highlight: 'true' }),
    about({ query: { vector: { name: 'embed', record_id: similar.id, max_results: 5, order: 'least_similar' } } }),
    about({ query: { vector: { name: 'embed', value: [1, 0.5, -2] } } }),
  ]
  const suggestions = Object.entries(VALUES).map(([name, { value }], i) => ({
    params: { record_id: answered[i % 2]?.id ?? similar.id },
    query: {},
    body: { question_id: idOf(dataset.questions, name), value, score: null, agent: 'model-7', type: 'model' },
  }))
  const answers = { items: answered.map(({ id }) => ({ record_id: id, status: 'submitted', values: VALUES })) }
  return {
    createRecordsBulk: [records],
    upsertRecordsBulk: [records],
    searchRecords: searches,
    searchMyRecords: searches,
    listRecords: [about(undefined, { include: 'responses,suggestions,vectors' })],
    createResponse: ofRecords({ status: 'submitted', values: VALUES }),
    getRecord: ofRecords(),
    upsertSuggestion: suggestions,
    upsertMyResponsesBulk: [about(answers)],
    listRecordComments: ofRecords(),
    getDatasetProgress: [about(undefined)],
  }
}

const richRecord = (world: World, { questions }: BuiltDataset, external_id: string) => ({
  external_id,
  fields: {
    text: '😀 Green apples, green pie',
    picture: 'https://example.com/apple.png',
    talk: [{ role: 'user', content: 'A green one?' }],
    page: { name: 'apple', price: [1, null] },
    note: null,
  },
  metadata: { source: 'web', length: 5, weight: 0.5, more: ['a'] },
  vectors: { embed: [0.5, 1, -2], other: [0, 1] },
  suggestions: Object.entries(VALUES).map(([name, { value }]) => ({
    question_id: idOf(questions, name),
    value,
    agent: 'model-1',
  })),
  responses: [
    { user_id: world.owner.id, status: 'draft', values: VALUES },
    { user_id: world.memberAnnotator.id, ...submitted() },
  ],
})
