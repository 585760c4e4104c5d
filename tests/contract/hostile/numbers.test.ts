/** Numbers that are valid JSON but cannot be stored, and numbers at the limits. */
import type { DatasetRecord } from '@postil/domain/records'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectProblems } from '../answers.ts'
import { type BuiltDataset, first, idOf } from '../datasets.ts'
import { datasetOf, expectUnprocessable, openTarget, recordsOf, sendJson, type Target, writesNothing } from './target.ts'

let target: Target
let dataset: BuiltDataset
let record: DatasetRecord
beforeAll(async () => {
  target = await openTarget()
  dataset = await datasetOf(target)
  record = first(await recordsOf(target, dataset, [{ fields: { text: 'An apple' }, external_id: 'first' }]))
})
afterAll(() => target?.close())

/** Places for numbers in a record, marked with `@`. */
const RECORD_PLACES: [where: string, item: string, ...loc: (string | number)[]][] = [
  ['integer metadata', '"metadata":{"length":@}', 'metadata', 'length'],
  ['float metadata', '"metadata":{"weight":@}', 'metadata', 'weight'],
  ['terms metadata', '"metadata":{"hidden":[@]}', 'metadata', 'hidden', 0],
  ['extra metadata', '"metadata":{"extra":@}', 'metadata', 'extra'],
  ['nested metadata', '"metadata":{"extra":{"deep":[1,@]}}', 'metadata', 'extra', 'deep', 1],
  ['a vector', '"vectors":{"embed":[1,@,3]}', 'vectors', 'embed', 1],
  ['a custom field', '"fields":{"text":"x","page":{"n":@}}', 'fields', 'page', 'n'],
  ['an external id', '"external_id":@', 'external_id'],
  ['a score', '"suggestions":[{"question_id":"MOOD","value":"sad","score":@}]', 'suggestions', 0, 'score'],
  ['one of scores', '"suggestions":[{"question_id":"TOPICS","value":["food"],"score":[@]}]', 'suggestions', 0, 'score', 0],
  ['a suggested rating', '"suggestions":[{"question_id":"QUALITY","value":@}]', 'suggestions', 0, 'value'],
  [
    'a span',
    '"suggestions":[{"question_id":"SPOTS","value":[{"label":"person","start":0,"end":@}]}]',
    'suggestions',
    0,
    'value',
    0,
    'end',
  ],
]

const itemOf = (place: string, number: string) => {
  const fields = place.includes('"fields"') ? '' : '"fields":{"text":"x"},'
  const withIds = place.replace(/MOOD|TOPICS|QUALITY|SPOTS/, word => idOf(dataset.questions, word.toLowerCase()))
  return `{"items":[{${fields}${withIds.replace('@', number)}}]}`
}

describe('in a record', () => {
  writesNothing(() => target)

  describe.each(RECORD_PLACES)('in %s', (_, place, ...loc) => {
    const bulk = () => `${dataset.path}/records/bulk`

    test('no JSON number is a JSON syntax error', async () => {
      for (const word of ['NaN', 'Infinity', '-Infinity', 'nan', '1_000', '0b1']) {
        for (const method of ['POST', 'PUT']) {
          const answer = await sendJson(target.owner, `${method} ${bulk()}`, itemOf(place, word))
          expectProblems(answer, [['json_invalid', 'body', expect.any(Number) as number]])
        }
      }
    })

    test.each(['1e400', '-1e400', '9007199254740993', '-9007199254740993', '123456789012345678901234567890'])(
      '%s is refused at its place',
      async number => {
        for (const method of ['POST', 'PUT']) {
          const answer = await sendJson(target.owner, `${method} ${bulk()}`, itemOf(place, number))
          expectProblem(answer, 'value_error', 'body', 'items', 0, ...loc)
        }
      },
    )
  })
})

describe('outside of records', () => {
  writesNothing(() => target)

  const response = (value: string) => `{"status":"draft","values":{"quality":{"value":${value}}}}`
  const search = (value: string) =>
    `{"filters":{"and":[{"type":"range","scope":{"entity":"metadata","metadata_property":"weight"},"ge":${value}}]}}`
  const rows = ['NaN', '1e400', '9007199254740993']

  test.each(rows)('%s is refused in ratings, settings, dataset metadata and search', async number => {
    const { owner, workspaceId } = target
    const answers = [
      await sendJson(owner, `POST /records/${record.id}/responses`, response(number)),
      await sendJson(owner, 'POST /me/responses/bulk', `{"items":[{"record_id":"${record.id}",${response(number).slice(1)}]}`),
      await sendJson(owner, `PATCH ${dataset.path}`, `{"metadata":{"a":${number}}}`),
      await sendJson(owner, 'POST /datasets', `{"name":"n","workspace_id":"${workspaceId}","metadata":{"a":[${number}]}}`),
      await sendJson(owner, `PATCH ${dataset.path}`, `{"distribution":{"strategy":"overlap","min_submitted":${number}}}`),
      await sendJson(owner, `POST ${dataset.path}/vectors-settings`, `{"name":"v","title":"V","dimensions":${number}}`),
      await sendJson(
        owner,
        `POST ${dataset.path}/metadata-properties`,
        `{"name":"p","title":"P","settings":{"type":"float","max":${number}}}`,
      ),
      await sendJson(owner, `POST ${dataset.path}/records/search`, search(number)),
      await sendJson(
        owner,
        `POST ${dataset.path}/records/search`,
        `{"query":{"vector":{"name":"embed","value":[1,${number},3]}}}`,
      ),
    ]
    for (const answer of answers) expectUnprocessable(answer)
  })

  test.each(['1e400', 'NaN', 'Infinity', '-inf', '0x10', '1e', '', ' ', '١', '1,5', '--1'])(
    '%j is no number in a filter on numbers',
    async text => {
      const scopes = [
        { entity: 'metadata', metadata_property: 'weight' },
        { entity: 'metadata', metadata_property: 'length' },
        { entity: 'suggestion', question: 'mood', property: 'score' },
        { entity: 'suggestion', question: 'quality' },
        { entity: 'response', question: 'quality' },
      ]
      for (const scope of scopes) {
        for (const filter of [
          { type: 'terms', values: [text] },
          { type: 'range', ge: text },
        ]) {
          const body = { filters: { and: [{ ...filter, scope }] } }
          expectUnprocessable(await target.owner.send(`POST ${dataset.path}/records/search`, body), /number/)
        }
      }
    },
  )

  test('numbers as text are no way around', async () => {
    const post = (item: object) => target.owner.send(`POST ${dataset.path}/records/bulk`, { items: [item] })
    const fields = { text: 'x' }
    const question_id = idOf(dataset.questions, 'mood')
    for (const number of ['1e400', 'NaN', 'Infinity', '-Infinity']) {
      expectProblem(
        await post({ fields, vectors: { embed: [1, number, 3] } }),
        'float_parsing',
        'body',
        'items',
        0,
        'vectors',
        'embed',
        1,
      )
      expectUnprocessable(await post({ fields, suggestions: [{ question_id, value: 'sad', score: number }] }), /score/)
    }
    const dimensions = '9007199254740993'
    const body = { name: 'v', title: 'V', dimensions }
    expectProblem(await target.owner.send(`POST ${dataset.path}/vectors-settings`, body), 'int_parsing', 'body', 'dimensions')
  })
})

describe('at the edge', () => {
  test.each([9007199254740991, -9007199254740991, 1e300, -1e300, 5e-324, 1.7976931348623157e308, 0.1, -0])(
    '%d comes back as it was sent',
    async number => {
      const item = { fields: { text: 'x', page: { n: number } }, metadata: { extra: [number] }, vectors: { other: [number, 1] } }
      const made = first(await recordsOf(target, dataset, [item]))
      const read = await target.owner.done<DatasetRecord>(`GET /records/${made.id}`)
      for (const { fields, metadata, vectors } of [made, read]) {
        expect(JSON.stringify({ fields, metadata, vectors: { other: vectors?.other } })).toBe(JSON.stringify(item))
      }
    },
  )

  test('vectors of huge and of tiny numbers are as similar as their directions', async () => {
    const near = await recordsOf(target, dataset, [
      { fields: { text: 'x' }, vectors: { embed: [1e308, 1e308, 1e308] } },
      { fields: { text: 'x' }, vectors: { embed: [5e-324, 5e-324, 5e-324] } },
    ])
    const body = { query: { vector: { name: 'embed', value: [1e308, 1e308, 1e308] } } }
    type Hits = { items: { record: { id: string }; query_score: number }[] }
    const { items } = await target.owner.done<Hits>(`POST ${dataset.path}/records/search`, body)
    for (const { id } of near) expect(items.find(hit => hit.record.id === id)?.query_score).toBeCloseTo(1, 6)
  })

  test('a float that 32 bits cannot hold is refused, or found and measured', async () => {
    const body = { items: [{ fields: { text: 'x' }, metadata: { weight: 1e308 } }] }
    const answer = await target.owner.send(`POST ${dataset.path}/records/bulk`, body)
    if (answer.status === 422) return
    expect(answer.status).toBe(201)
    const metrics = await target.owner.done(`GET /metadata-properties/${idOf(dataset.properties, 'weight')}/metrics`)
    expect(metrics).toMatchObject({ type: 'float', max: expect.any(Number), min: expect.any(Number) })
    const filter = { type: 'range', scope: { entity: 'metadata', metadata_property: 'weight' }, ge: 1 }
    const found = await target.owner.done(`POST ${dataset.path}/records/search`, { filters: { and: [filter] } })
    expect(found).toMatchObject({ total: 1 })
  })

  test.each([
    'now-99999999999999y',
    '0000-00-00',
    '2026-13-45',
    '2026-02-30',
    '99999999999999999999999',
    'nowx',
    '',
    '2026-01-01T25:00',
  ])('%j is no date', async text => {
    const scope = { entity: 'record', property: 'inserted_at' }
    for (const filter of [
      { type: 'terms', values: [text] },
      { type: 'range', le: text },
    ]) {
      const body = { filters: { and: [{ ...filter, scope }] } }
      expectUnprocessable(await target.owner.send(`POST ${dataset.path}/records/search`, body), /date/)
    }
  })
})
