/** Search filters, dates and sorts, the shape of the body, and the older query parameters. */
import type { DatasetRecord } from '@postil/domain/records'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem, expectProblems, expectRefused, type ShapeProblemAt } from './answers.ts'
import { aDataset, addRecords, type BuiltDataset, idOf } from './datasets.ts'
import { FILTERS, REFUSED_FILTERS, REFUSED_SORTS, SORTS, scopes } from './filter-cases.ts'
import { type Caller, sharedWorld, type World } from './http.ts'

let world: World
let dataset: BuiltDataset
let records: DatasetRecord[]
beforeAll(async () => {
  world = await sharedWorld()
  dataset = await aDataset(world)
  const suggest = (name: string, value: unknown, given: object = {}) => ({
    question_id: idOf(dataset.questions, name),
    value,
    ...given,
  })
  const respond = ({ id }: Caller, status: string, values: Record<string, unknown>) => ({
    user_id: id,
    status,
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])),
  })
  const { owner, memberAnnotator } = world
  records = await addRecords(world, dataset, [
    {
      fields: { text: 'green apple' },
      external_id: 'B',
      metadata: { source: 'web', length: 5, weight: 0.1, hidden: 7, extra: 1 },
      suggestions: [
        suggest('mood', 'sad', { score: 0.9, agent: 'a1', type: 'model' }),
        suggest('topics', ['food', 'art'], { score: [0.2, 0.8] }),
        suggest('quality', 3),
      ],
      responses: [
        respond(memberAnnotator, 'submitted', { mood: 'happy', quality: 4, comment: 'Hm' }),
        respond(owner, 'draft', { mood: 'sad', quality: 2 }),
      ],
    },
    {
      fields: { text: 'apple' },
      external_id: 'a',
      metadata: { source: ['mail', 'book'], length: 10, weight: 2.5, hidden: true },
      suggestions: [suggest('mood', 'happy', { score: 0.5, agent: 'A1', type: 'human' })],
      responses: [respond(owner, 'submitted', { mood: 'calm' })],
    },
    {
      fields: { text: 'pie' },
      external_id: '10',
      metadata: { length: 0, weight: 100, hidden: 'x' },
      suggestions: [suggest('quality', 5), suggest('comment', 'hello', { score: 0.1 })],
      responses: [respond(memberAnnotator, 'discarded', { mood: 'happy' })],
    },
    { fields: { text: 'tart' }, external_id: '2', metadata: null },
  ])
})

type Found = { items: { record: DatasetRecord; query_score: number | null }[]; total: number }
interface Options {
  me?: boolean
  query?: string
  caller?: Caller
}
const search = (body: unknown, { me = false, query = '', caller }: Options = {}) => {
  const asking = caller ?? (me ? world.memberAnnotator : world.owner)
  return asking.send<Found>(`POST ${me ? '/me' : ''}${dataset.path}/records/search${query}`, body)
}
const numbersOf = ({ body, text, status }: { body: Found; text: string; status: number }) => {
  expect({ status, text }).toMatchObject({ status: 200 })
  return body.items.map(({ record }) => records.findIndex(({ id }) => id === record.id)).join('')
}
const filtered = async (filters: object[], options: Options = {}) => {
  const answer = await search({ filters: { and: filters }, sort: BY_AGE }, options)
  const numbers = numbersOf(answer)
  expect(answer.body.total).toBe(numbers.length)
  return numbers
}
const BY_AGE = [{ scope: { entity: 'record', property: 'inserted_at' }, order: 'asc' }]
const { terms, range, record, metadata, response, STATUS } = scopes

describe('a filter', () => {
  test.each(FILTERS.map(([filter, all, own = all]) => ({ filter, all, own, shown: JSON.stringify(filter) })))(
    '$shown finds $all, and $own by the caller’s own responses',
    async ({ filter, all, own }) => {
      expect([await filtered([filter]), await filtered([filter], { me: true })]).toEqual([all, own])
    },
  )

  test.each([
    [7, '0'],
    ['7', '0'],
    ['true', '1'],
    ['x', '2'],
  ])('on a term that is %j compares texts', async (value, found) => {
    expect(await filtered([terms(metadata('hidden'), value)])).toBe(found)
  })

  test('on ids takes them as they are written out', async () => {
    const id = records[1]?.id ?? ''
    for (const property of ['id', '_server_id']) expect(await filtered([terms(record(property), id)])).toBe('1')
    expect(await filtered([terms(record('id'), id.toUpperCase(), id.replaceAll('-', ''))])).toBe('')
  })

  test('stands beside others, each for itself', async () => {
    const [isSubmitted, isSad] = [terms(STATUS, 'submitted'), terms(response('mood'), 'sad')]
    expect(await filtered([isSubmitted, isSad])).toBe('0')
    expect(await filtered([isSubmitted, isSad], { me: true })).toBe('')
    expect(await filtered([terms(STATUS, 'pending'), terms(record('status'), 'pending')], { me: true })).toBe('3')
    expect(await filtered(Array(50).fill(terms(record('status'), 'pending')))).toBe('23')
  })

  test.each(REFUSED_FILTERS.map(filter => ({ filter, shown: JSON.stringify(filter) })))(
    '$shown is refused',
    async ({ filter }) => {
      for (const me of [false, true]) expectRefused(await search({ filters: { and: [filter] } }, { me }))
    },
  )

  test('on a hidden property is unknown to annotators', async () => {
    const hidden = terms(metadata('hidden'), 'x')
    expectRefused(await search({ filters: { and: [hidden] } }, { me: true }))
    expectRefused(await search({ sort: [{ scope: metadata('hidden'), order: 'asc' }] }, { me: true }))
    expect(await filtered([hidden], { me: true, caller: world.memberAdmin })).toBe('2')
  })

  test('that is empty is none', async () => {
    expect(numbersOf(await search({ filters: {}, sort: BY_AGE }))).toBe('0123')
    expect(numbersOf(await search({ query: null, filters: null, sort: null, nonsense: 1 }))).toBe('0123')
  })

  test('may be called by its old name when the new one is absent or null', async () => {
    const filter = { and: [terms(record('status'), 'completed')], type: 'and' }
    const filters = { and: [terms(record('status'), 'pending')] }
    expect(numbersOf(await search({ filter, filters, sort: BY_AGE }))).toBe('23')
    expect(numbersOf(await search({ filter, sort: BY_AGE }))).toBe('01')
    expect(numbersOf(await search({ filter, filters: null, sort: BY_AGE }))).toBe('01')
  })
})

describe('a date', () => {
  const inserted = record('inserted_at')
  const at = (i: number) => records[i]?.inserted_at ?? ''

  test('with a fraction is an instant, in any zone', async () => {
    const shifted = new Date(Date.parse(`${at(1)}Z`) + 7_200_000).toISOString().slice(0, 19) + at(1).slice(19)
    for (const text of [at(1), `${at(1)}Z`, `${shifted}+02:00`]) {
      expect([text, await filtered([terms(inserted, text)])]).toEqual([text, '1'])
      expect([text, await filtered([range(inserted, { ge: text })])]).toEqual([text, '123'])
      expect([text, await filtered([range(inserted, { le: text })])]).toEqual([text, '01'])
    }
    expect(await filtered([range(inserted, { ge: at(1), le: at(2) })])).toBe('12')
    const cut = at(1).slice(0, 23)
    if (!at(1).endsWith('000')) expect(await filtered([terms(inserted, cut)])).toBe('')
  })

  test('without one is the whole second, minute or day', async () => {
    for (const length of ['2026-11-15T03:19:37'.length, '2026-11-15T03:19'.length, '2026-11-15'.length]) {
      expect(await filtered([range(inserted, { ge: at(0).slice(0, length), le: at(3).slice(0, length) })])).toBe('0123')
      expect(await filtered([terms(inserted, at(0).slice(0, length), at(3).slice(0, length))])).toBe('0123')
    }
    expect(await filtered([range(inserted, { ge: at(0).slice(0, 4) })])).toBe('0123')
    expect(await filtered([range(inserted, { ge: at(0).slice(0, 7) })])).toBe('0123')
    expect(await filtered([range(inserted, { le: at(0).slice(0, 4) })])).toBe('')
    expect(await filtered([range(inserted, { le: at(0).slice(0, 7) })])).toBe(at(0).slice(8, 19) === '01T00:00:00' ? '0123' : '')
  })

  test('may be milliseconds since 1970, arithmetic, or far away', async () => {
    const ms = String(Date.parse(`${at(0)}Z`) - 1000)
    expect([await filtered([range(inserted, { ge: ms })]), await filtered([range(inserted, { le: ms })])]).toEqual(['0123', ''])
    expect(await filtered([range(inserted, { ge: 'now-1d/d' }), range(inserted, { le: 'now' })])).toBe('0123')
    expect(await filtered([range(inserted, { ge: 'now' })])).toBe('')
    expect(await filtered([range(inserted, { ge: '1200-01-01', le: '3000-01-01' })])).toBe('0123')
    expect(await filtered([range(record('updated_at'), { ge: at(0).slice(0, 10) })])).toBe('0123')
  })

  test.each(['2026/11/15', '2026-1-5', 'yesterday', '', '2026-13-01', '2026-02-30', 'now-1x'])('%j is none', async text => {
    expectRefused(await search({ filters: { and: [range(inserted, { ge: text })] } }))
    expectRefused(await search({ filters: { and: [terms(inserted, text)] } }))
  })
})

describe('a sort', () => {
  test.each(SORTS.map(([scope, asc, desc]) => ({ scope, asc, desc, shown: JSON.stringify(scope) })))(
    'by $shown: $asc up, $desc down',
    async ({ scope, asc, desc }) => {
      const sorted = async (order: string) => numbersOf(await search({ sort: [{ scope, order }] }))
      expect([await sorted('asc'), await sorted('desc')]).toEqual([asc, desc])
    },
  )

  test('by several keys, the first being the main one', async () => {
    const keys = [record('status'), record('external_id')].map((scope, i) => ({ scope, order: i === 0 ? 'asc' : 'desc' }))
    expect(numbersOf(await search({ sort: keys }))).toBe('1032')
    expect(numbersOf(await search({ sort: keys }, { me: true, query: '?limit=2&offset=1' }))).toBe('03')
  })

  test('by responses looks at the caller’s own on /me', async () => {
    const quality = (order: string) => [{ scope: response('mood'), order }]
    expect(numbersOf(await search({ sort: quality('asc') }, { me: true }))).toBe('0213')
    expect(numbersOf(await search({ sort: [{ scope: STATUS, order: 'asc' }] }, { me: true }))).toBe('2013')
  })

  test('leaves no score, also with a text', async () => {
    for (const me of [false, true]) {
      const { body } = await search({ sort: BY_AGE, query: { text: { q: 'apple' } } }, { me })
      expect(body.items.map(({ query_score }) => query_score)).toEqual([null, null])
    }
  })

  test.each(REFUSED_SORTS.map(scope => ({ scope, shown: JSON.stringify(scope) })))('by $shown is refused', async ({ scope }) => {
    expectRefused(await search({ sort: [{ scope, order: 'asc' }] }))
  })
})

describe('the shape', () => {
  const one = (filter: object) => ({ filters: { and: [filter] } })
  const at = ['body', 'filters', 'and', 0]
  const good = terms(record('status'), 'pending')
  const sort = { scope: record('id'), order: 'asc' }
  test.each([
    [one({ scope: record('id'), values: ['a'] }), ['union_tag_not_found', ...at]],
    [one({ ...good, type: 'or' }), ['union_tag_invalid', ...at]],
    [one(terms({ entity: 'user' }, 'a')), ['union_tag_invalid', ...at, 'terms', 'scope']],
    [one(terms(record('text'), 'a')), ['literal_error', ...at, 'terms', 'scope', 'record', 'property']],
    [one(terms(metadata(''), 'a')), ['string_too_short', ...at, 'terms', 'scope', 'metadata', 'metadata_property']],
    [one(terms(record('id'))), ['too_short', ...at, 'terms', 'values']],
    [one(terms(record('id'), ...Array(251).fill('a'))), ['too_long', ...at, 'terms', 'values']],
    [one(terms(record('id'), true)), ['string_type', ...at, 'terms', 'values', 0]],
    [one(terms(record('id'), 'a', null)), ['string_type', ...at, 'terms', 'values', 1]],
    [one(range(metadata('length'), {})), ['value_error', ...at, 'range']],
    [one(range(metadata('length'), { ge: null, le: null })), ['value_error', ...at, 'range']],
    [one(range(metadata('length'), { ge: 2, le: 1 })), ['value_error', ...at, 'range']],
    [one(range(metadata('length'), { ge: '5', le: '10' })), ['value_error', ...at, 'range']],
    [one(range(metadata('length'), { ge: 1, le: '2' })), ['value_error', ...at, 'range']],
    [{ filters: { and: Array(51).fill(good) } }, ['too_long', 'body', 'filters', 'and']],
    [{ sort: [] }, ['too_short', 'body', 'sort']],
    [{ sort: Array(11).fill(sort) }, ['too_long', 'body', 'sort']],
    [{ sort: [{ scope: record('id') }] }, ['missing', 'body', 'sort', 0, 'order']],
    [{ sort: [{ ...sort, order: 'up' }] }, ['enum', 'body', 'sort', 0, 'order']],
  ] as [object, ShapeProblemAt][])('%j -> %j', async (body, problem) => {
    expectProblems(await search(body), [problem])
    expectProblem(await search(body, { me: true }), ...problem)
  })
})

test.each([
  ['?response_status=submitted', '01', '0'],
  ['?response_status=missing', '3', '13'],
  ['?metadata=source:web&response_status=submitted', '0', '0'],
  ['?metadata=length:{"ge":5}', '01', '01'],
])('the older %s restricts what the body asks for', async (query, all, own) => {
  expect(numbersOf(await search({ sort: BY_AGE }, { query }))).toBe(all)
  expect(numbersOf(await search({ sort: BY_AGE }, { query, me: true }))).toBe(own)
  const and = [terms(record('external_id'), 'B')]
  expect(await filtered(and, { query })).toBe(all.includes('0') ? '0' : '')
})

test('the older sort_by counts when the body has no sort', async () => {
  expect(numbersOf(await search({}, { query: '?sort_by=metadata.length:desc' }))).toBe('1023')
  expect(numbersOf(await search({ sort: BY_AGE }, { query: '?sort_by=metadata.length:desc' }))).toBe('0123')
})
