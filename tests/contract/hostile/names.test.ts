/** Names with a meaning in programming languages, in our tables or elsewhere in the same dataset. */
import type { Dataset } from '@postil/domain/datasets'
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefused } from '../answers.ts'
import { type BuiltDataset, first, idOf, SMALL_DRAFT, TEXT_FIELD, toOptions } from '../datasets.ts'
import { datasetOf, expectAlive, openTarget, recordsOf, sendJson, type Target, unharmed, writesNothing } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget()
})
afterAll(() => target?.close())

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'then']
const OURS = ['id', 'status', '_server_id', 'responses', 'metadata', 'user_id', 'rowid', 'f0']
const OTHERS = ['null', '*', 'a"b', "a'b", 'a.b', 'a:b', 'a,b', ' ']

/** Returns `{ [name]: value }`, safe for every name. */
const keyed = (name: string, value: unknown): Record<string, unknown> => Object.fromEntries([[name, value]])

/** Creates a dataset that uses the same name everywhere. A question cannot have the name of a field. */
async function namedDataset(name: string) {
  const dataset = await datasetOf(target, {
    fields: [TEXT_FIELD, { name, title: name, settings: { type: 'custom', template: '' } }],
    questions: [
      {
        name: `${name}?`,
        title: 'Q',
        required: true,
        settings: { type: 'multi_label_selection', options: toOptions([name, 'other']) },
      },
      { name: `${name} span`, title: 'S', settings: { type: 'span', field: 'text', options: toOptions([name]) } },
      { name: `${name} rank`, title: 'R', settings: { type: 'ranking', options: toOptions([name, 'other']) } },
    ],
    properties: [{ name, title: 'P', settings: { type: 'terms', values: [name, 'other'] } }],
    vectors: [{ name, title: 'V', dimensions: 2 }],
  })
  return { dataset, question: `${name}?` }
}

describe('names that are not there', () => {
  let dataset: BuiltDataset
  let record: DatasetRecord
  beforeAll(async () => {
    dataset = await datasetOf(target)
    record = first(await recordsOf(target, dataset, [{ fields: { text: 'An apple' } }]))
  })
  writesNothing(() => target)

  test.each(NAMES)('%s is unknown where nobody gave it', async name => {
    const fields = { text: 'x' }
    const post = (item: object) => target.owner.send(`POST ${dataset.path}/records/bulk`, { items: [item] })
    const search = (body: object) => target.owner.send(`POST ${dataset.path}/records/search`, body)
    const filter = (scope: object) => search({ filters: { and: [{ type: 'terms', scope, values: ['x'] }] } })
    const value = { status: 'draft', values: keyed(name, { value: 'x' }) }
    for (const answer of [
      await post({ fields: keyed(name, 'x') }),
      await post({ fields: { ...fields, ...keyed(name, 'x') } }),
      await post({ fields, vectors: keyed(name, [1, 2, 3]) }),
      await target.owner.send(`POST /records/${record.id}/responses`, value),
      await search({ query: { text: { q: 'x', field: name } } }),
      await search({ query: { vector: { name, value: [1, 2, 3] } } }),
      await filter({ entity: 'metadata', metadata_property: name }),
      await filter({ entity: 'response', question: name }),
      await filter({ entity: 'suggestion', question: name }),
      await target.owner.send(`GET ${dataset.path}/records?sort_by=metadata.${name}`),
      await target.owner.send(`GET ${dataset.path}/records?metadata=${name}:x`),
      await target.owner.send(`GET ${dataset.path}/records?include=${name}`),
      await target.owner.send(`POST ${dataset.path}/vectors-settings`, { name: 'embed', title: 'x', dimensions: name }),
    ]) {
      expect([answer.text, answer.status]).toEqual([answer.text, answer.status === 409 ? 409 : 422])
    }
    for (const type of [name, keyed(name, name)]) {
      const body = { name: 'x', title: 'X', settings: { type } }
      for (const kind of ['fields', 'questions', 'metadata-properties']) {
        expect((await target.owner.send(`POST ${dataset.path}/${kind}`, body)).status).toBe(422)
      }
    }
  })
})

describe('a poisoned body', () => {
  test('a body that replaces the prototype pollutes nothing', async () => {
    const dataset = await datasetOf(target, SMALL_DRAFT)
    const poison = '{"__proto__":{"role":"owner","status":"ready","polluted":true,"name":"x","items":[]}'
    for (const request of ['POST /users', 'POST /datasets', 'POST /workspaces', `POST ${dataset.path}/records/bulk`]) {
      const answer = await sendJson(target.owner, request, `${poison}}`)
      expect([request, answer.status]).toEqual([request, 422])
    }
    await sendJson(target.owner, `PATCH ${dataset.path}`, `${poison},"constructor":{"prototype":{"polluted":true}}}`)
    expect(JSON.stringify(await target.owner.done(`GET ${dataset.path}`))).not.toMatch(/polluted/)
    expect(JSON.stringify(await target.owner.done('GET /me'))).not.toMatch(/polluted/)
    await expectAlive(target)
  })
})

describe('one name for two things', () => {
  const field = { title: 'X', settings: { type: 'text' } }

  test('a question may not have a field’s name, nor a field a question’s', async () => {
    const dataset = await datasetOf(target, SMALL_DRAFT)
    await unharmed(target, async () => {
      expectRefused(await target.owner.send(`POST ${dataset.path}/questions`, { ...field, name: 'text' }))
      expectRefused(await target.owner.send(`POST ${dataset.path}/fields`, { ...field, name: 'mood' }))
      expectRefused(await target.owner.send(`POST ${dataset.path}/questions`, { ...field, name: 'mood' }), 409)
      expectRefused(await target.owner.send(`POST ${dataset.path}/fields`, { ...field, name: 'text' }), 409)
    })
    await target.owner.done(`POST ${dataset.path}/questions`, { ...field, name: 'Text' })
  })

  test('questions called status and user_id do not mix with what responses have', async () => {
    const options = toOptions(['submitted', 'draft', target.owner.id])
    const question = (name: string) => ({
      name,
      title: name,
      required: true,
      settings: { type: 'label_selection', options } as const,
    })
    const dataset = await datasetOf(target, { ...SMALL_DRAFT, questions: ['status', 'user_id'].map(question), publish: true })
    const values = { status: { value: 'draft' }, user_id: { value: 'submitted' } }
    const fields = { text: 'x' }
    await recordsOf(target, dataset, [
      { fields, responses: [{ user_id: target.owner.id, status: 'submitted', values }] },
      { fields },
    ])
    const count = async (scope: object, value: string) => {
      const body = { filters: { and: [{ type: 'terms', scope: { entity: 'response', ...scope }, values: [value] }] } }
      return (await target.owner.done<{ total: number }>(`POST ${dataset.path}/records/search`, body)).total
    }
    const counted = [
      await count({ property: 'status' }, 'submitted'),
      await count({ property: 'status' }, 'draft'),
      await count({ property: 'status' }, 'pending'),
      await count({ question: 'status' }, 'draft'),
      await count({ question: 'status' }, 'submitted'),
      await count({ question: 'status', property: 'status' }, 'draft'),
      await count({ question: 'user_id' }, 'submitted'),
      await count({ question: 'user_id' }, target.owner.id),
    ]
    expect(counted).toEqual([1, 0, 1, 1, 0, 1, 1, 0])
  })
})

describe.each([...NAMES, ...OURS, ...OTHERS])('%j', name => {
  test('is a name like any other for fields, questions, labels, metadata and vectors', async () => {
    const { dataset, question } = await namedDataset(name)
    const ranks = [
      { value: name, rank: 1 },
      { value: 'other', rank: 2 },
    ]
    const values = {
      ...keyed(question, { value: [name] }),
      ...keyed(`${name} span`, { value: [{ label: name, start: 0, end: 1 }] }),
      ...keyed(`${name} rank`, { value: ranks }),
    }
    const content = {
      fields: { text: 'An apple', ...keyed(name, keyed(name, keyed(name, [name]))) },
      metadata: { ...keyed(name, name), extra: keyed(name, 1) },
      vectors: keyed(name, [1, 2]),
    }
    const item = {
      ...content,
      responses: [{ user_id: target.owner.id, status: 'submitted', values }],
      suggestions: [{ question_id: idOf(dataset.questions, question), value: [name], score: [0.5] }],
    }
    const made = first(await recordsOf(target, dataset, [item]))
    const read = await target.owner.done<DatasetRecord>(`GET /records/${made.id}`)
    const list = await target.owner.done<{ items: DatasetRecord[] }>(
      `GET ${dataset.path}/records?include=responses,suggestions&include=vectors`,
    )
    for (const { fields, metadata, vectors, responses, suggestions } of [made, read, first(list.items)]) {
      // Compared as text, because object equality ignores `__proto__`.
      expect(JSON.stringify({ fields, metadata, vectors })).toBe(JSON.stringify(content))
      expect(JSON.stringify(responses?.[0]?.values)).toBe(JSON.stringify(values))
      expect(suggestions?.[0]?.value).toEqual([name])
    }
    await expectFound(dataset.path, name, question)
  })

  test('is a key like any other in dataset metadata, and changes by PATCH', async () => {
    const body = { name: `metadata of ${name}`, workspace_id: target.workspaceId, metadata: keyed(name, { a: keyed(name, 1) }) }
    const made = await target.owner.done<Dataset>('POST /datasets', body)
    await target.owner.done(`PATCH /datasets/${made.id}`, { metadata: { b: 2 } })
    const changed = await target.owner.done<Dataset>(`PATCH /datasets/${made.id}`, { metadata: keyed(name, [3]) })
    const read = await target.owner.done<Dataset>(`GET /datasets/${made.id}`)
    expect(JSON.stringify(made.metadata)).toBe(JSON.stringify(body.metadata))
    for (const { metadata } of [changed, read]) {
      expect(Object.entries(metadata ?? {}).toSorted()).toEqual(Object.entries({ ...keyed(name, [3]), b: 2 }).toSorted())
    }
  })

  test('is a name like any other for users, workspaces and datasets', async () => {
    const isBlank = name.trim() === ''
    const { id } = isBlank ? { id: target.workspaceId } : await target.owner.done<{ id: string }>('POST /workspaces', { name })
    const body = { first_name: name, last_name: 'x', username: name, password: 'a long password', workspaces: [name] }
    // Only some, because hashing the password of a user takes a quarter of a second.
    if (NAMES.includes(name)) expect(await target.owner.done('POST /users', body)).toMatchObject({ username: name })
    await target.owner.done('POST /datasets', { name, workspace_id: id })
    expectRefused(await target.owner.send('POST /workspaces', { name }), isBlank ? 422 : 409)
    const found = await target.owner.done<{ items: object[] }>(`GET /datasets?name=${encodeURIComponent(name)}`)
    expect(found.items).toMatchObject([{ name }])
  })
})

async function expectFound(path: string, name: string, question: string): Promise<void> {
  const search = (body: object, query = '') => target.owner.done<{ total: number }>(`POST ${path}/records/search${query}`, body)
  const scopes = [
    { entity: 'metadata', metadata_property: name },
    { entity: 'response', question },
    { entity: 'suggestion', question, property: 'value' },
  ]
  for (const scope of scopes) {
    const filters = (value: string) => ({ filters: { and: [{ type: 'terms', scope, values: [value] }] } })
    expect([scope, (await search({ ...filters(name), sort: [{ scope, order: 'asc' }] })).total]).toEqual([scope, 1])
    expect([scope, (await search(filters('other'))).total]).toEqual([scope, 0])
  }
  expect(await search({ query: { vector: { name, value: [1, 2] } } })).toMatchObject({ total: 1 })
  expect(await search({ query: { text: { q: '*', field: name } } })).toMatchObject({ total: 1 })
  expect(await search({}, `?sort_by=${encodeURIComponent(`metadata.${name}:desc`)}`)).toMatchObject({ total: 1 })
  if (!name.includes(':') && !name.includes(',')) {
    expect(await search({}, `?metadata=${encodeURIComponent(`${name}:${name}`)}`)).toMatchObject({ total: 1 })
    const shown = await target.owner.send<{ items: DatasetRecord[] }>(
      `GET ${path}/records?include=${encodeURIComponent(`vectors:${name}`)}`,
    )
    expect(JSON.stringify(first(shown.body.items).vectors)).toBe(JSON.stringify(keyed(name, [1, 2])))
  }
}
