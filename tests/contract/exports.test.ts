/** Exports to files: contents of each format, and the selection of records, columns and responses. */
import type { ExportColumns } from '@postil/domain/exports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportFile, linesOf, unzip } from './exports-world.ts'
import { openWorld, type World } from './http.ts'
import { aHubDataset, listRecords, QUESTIONS, readParquet } from './hub-world.ts'

let world: World
let datasetId: Id

const given = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))
const thing = (start: number, end: number) => ({ label: 'thing', start, end })

beforeAll(async () => {
  world = await openWorld()
  const { owner, memberAdmin, memberAnnotator } = world
  datasetId = await aHubDataset(owner, world.workspaceId, {
    fields: [
      { name: 'text', type: 'text' },
      { name: 'talk', type: 'chat' },
      { name: 'id', type: 'text' },
    ],
    questions: Object.entries(QUESTIONS).map(([name, settings]) => ({ name, settings })),
    metadata: ['terms', 'integer', 'float'].map(type => ({ name: type, settings: { type } })),
    vectors: [{ name: 'embed', dimensions: 2 }],
  })
  const { items: questions } = await owner.done<{ items: { id: Id; name: string }[] }>(`GET /datasets/${datasetId}/questions`)
  const submitted = (user_id: Id, values: object) => ({ user_id, status: 'submitted', values: given({ ...values }) })
  const items = [
    {
      external_id: 'first',
      fields: { text: 'One thing 😀 here', talk: [{ role: 'user', content: '=1+1' }], id: 'own' },
      metadata: { terms: ['web', '=x'], integer: -7, float: 2 },
      vectors: { embed: [0.25, -1] },
      suggestions: [{ question_id: questions.find(({ name }) => name === 'label')?.id, value: 'pos', score: 0.5, agent: 'm' }],
      responses: [
        submitted(owner.id, { label: 'neg', rating: 4, labels: ['a', 'b'], span: [thing(4, 9)], comment: 'Yes' }),
        submitted(memberAdmin.id, { label: 'neg', rating: 2, labels: ['b'], span: [thing(4, 9), thing(10, 11)], comment: 'No' }),
        { user_id: memberAnnotator.id, status: 'draft', values: given({ label: 'pos' }) },
      ],
    },
    { external_id: 'second', fields: { text: '=HYPERLINK("http://x")' }, metadata: { integer: 3 } },
    { external_id: 'third', fields: { text: 'a, "b"\nc' }, metadata: { integer: 5, terms: ['web'] } },
  ]
  await owner.done(`POST /datasets/${datasetId}/records/bulk`, { items })
})
afterAll(() => world?.close())

const run = (body: object) => exportFile(world, world.memberAdmin, datasetId, body)
const rowsOf = async (body: object = {}) => linesOf(await run({ format: 'jsonl', ...body }))

describe('JSON lines', () => {
  test('have every record with every column', async () => {
    const [first, second] = await rowsOf()
    const [stored] = await listRecords(world.owner, datasetId)
    expect(first).toMatchObject({
      id: 'first',
      _server_id: stored?.id,
      inserted_at: stored?.inserted_at,
      'field.id': 'own',
      talk: [{ role: 'user', content: '=1+1' }],
      'label.responses': ['neg', 'neg', 'pos'],
      'label.responses.users': [world.owner.id, world.memberAdmin.id, world.memberAnnotator.id],
      'label.responses.status': ['submitted', 'submitted', 'draft'],
      'label.suggestion': 'pos',
      'label.suggestion.score': 0.5,
      'metadata.terms': ['web', '=x'],
      'vector.embed': [0.25, -1],
    })
    expect(second).toMatchObject({ id: 'second', talk: null, 'label.responses': null, 'metadata.terms': null })
  })

  test('of resolved answers name ties', async () => {
    const [first, second] = await rowsOf({ responses: { of: 'resolved' } })
    expect(first).toMatchObject({
      'label.resolved': 'neg',
      'label.resolved.tied': null,
      'label.resolved.responses': 2,
      'rating.resolved': null,
      'rating.resolved.tied': [4, 2],
      'labels.resolved': ['b'],
      'labels.resolved.tied': ['a'],
      'span.resolved': [thing(4, 9)],
      'span.resolved.tied': [thing(10, 11)],
      'comment.resolved.tied': ['Yes', 'No'],
      'ranking.resolved': null,
      'ranking.resolved.responses': 0,
    })
    expect(second).toMatchObject({ 'label.resolved': null, 'label.resolved.tied': null, 'label.resolved.responses': 0 })
  })

  test('of one person have their answers', async () => {
    const [first, second] = await rowsOf({ responses: { of: 'user', user_id: world.memberAdmin.id } })
    expect(first).toMatchObject({ 'response.status': 'submitted', 'rating.response': 2, 'ranking.response': null })
    expect(second).toMatchObject({ 'response.status': null, 'rating.response': null })
  })

  test('in the long shape have a row for each response, and one for a record without any', async () => {
    const rows = await rowsOf({ shape: 'long' })
    expect(rows.map(row => [row.id, row['response.username'], row['label.response']])).toEqual([
      ['first', world.owner.username, 'neg'],
      ['first', world.memberAdmin.username, 'neg'],
      ['first', world.memberAnnotator.username, 'pos'],
      ['second', null, null],
      ['third', null, null],
    ])
  })

  test('have the responses of the statuses that were asked for', async () => {
    const [first] = await rowsOf({ statuses: ['draft'] })
    expect(first).toMatchObject({ 'label.responses': ['pos'], 'rating.responses': [null] })
  })

  test('have the columns that were asked for, in this order', async () => {
    const [first] = await rowsOf({ columns: ['metadata.integer', 'id', 'label.responses'], responses: { of: 'none' } })
    expect(Object.entries(first ?? {})).toEqual([
      ['metadata.integer', -7],
      ['id', 'first'],
    ])
  })
})

describe('the records', () => {
  const terms = { type: 'terms', scope: { entity: 'metadata', metadata_property: 'terms' }, values: ['web'] }
  const byInteger = { scope: { entity: 'metadata', metadata_property: 'integer' }, order: 'desc' }

  test.each([
    { given: 'a filter', search: { filters: { and: [terms] } }, ids: ['first', 'third'] },
    { given: 'a sort', search: { sort: [byInteger] }, ids: ['third', 'second', 'first'] },
    { given: 'words', search: { query: { text: { q: 'thing' } } }, ids: ['first'] },
    { given: 'a vector', search: { query: { vector: { name: 'embed', value: [1, 0] } } }, ids: ['first'] },
    { given: 'nothing', search: {}, ids: ['first', 'second', 'third'] },
    { given: 'what no record has', search: { query: { text: { q: 'nowhere' } } }, ids: [] },
  ])('are those that a search with $given finds', async ({ search, ids }) => {
    expect((await rowsOf({ search })).map(({ id }) => id)).toEqual(ids)
  })
})

describe('CSV', () => {
  test('has a header, quotes what must be quoted, and no formulas', async () => {
    const columns = ['id', 'text', 'metadata.integer', 'metadata.terms']
    const text = (await run({ format: 'csv', columns })).toString()
    expect(text).toBe(
      [
        '\ufeffid,text,metadata.integer,metadata.terms',
        'first,One thing 😀 here,-7,"[""web"",""=x""]"',
        `second,"'\u2060=HYPERLINK(""http://x"")",3,`,
        'third,"a, ""b""\nc",5,"[""web""]"',
        '',
      ].join('\r\n'),
    )
  })
})

describe('Parquet', () => {
  test('has the same content with types', async () => {
    const { rows } = await readParquet(await run({ format: 'parquet', responses: { of: 'resolved' } }))
    expect(rows[0]).toMatchObject({
      id: 'first',
      'rating.resolved': null,
      'rating.resolved.tied': [4n, 2n],
      'label.resolved.responses': 2n,
      'metadata.integer': -7n,
      'metadata.float': 2,
      'vector.embed': [0.25, -1],
    })
    expect(rows.map(({ id }) => id)).toEqual(['first', 'second', 'third'])
  })

  test('of no records can be read', async () => {
    const { rows, metadata } = await readParquet(
      await run({ format: 'parquet', columns: ['id', 'text'], search: { query: { text: { q: 'nowhere' } } } }),
    )
    expect([rows, metadata.schema.length]).toEqual([[], 3])
  })
})

describe('folders', () => {
  test('for `load_dataset` have Parquet, settings and a README', async () => {
    const files = unzip(await run({ format: 'datasets' }))
    expect([...files.keys()].sort()).toEqual([
      '.argilla/dataset.json',
      '.argilla/settings.json',
      '.argilla/version.json',
      'README.md',
      'data/train-00000.parquet',
    ])
    expect((await readParquet(files.get('data/train-00000.parquet') as Buffer)).rows).toHaveLength(3)
  })

  test('for `from_disk` have records by question', async () => {
    const files = unzip(await run({ format: 'disk' }))
    const [first, second] = JSON.parse(files.get('records.json')?.toString() ?? '')
    expect(first).toMatchObject({
      id: 'first',
      responses: { rating: [{ value: 4, user_id: world.owner.id, status: 'submitted' }, { value: 2 }] },
      suggestions: { label: { value: 'pos', score: 0.5, agent: 'm' } },
      vectors: { embed: [0.25, -1] },
    })
    expect(second).toMatchObject({ id: 'second', responses: {}, suggestions: {} })
  })
})

describe('documents of spans', () => {
  test('as CoNLL have a tag for each token, and no records without an answer', async () => {
    const text = (await run({ format: 'conll' })).toString()
    expect(text).toBe('# id = first\nOne\tO\nthing\tB-thing\n😀\tO\nhere\tO\n\n')
  })

  test('of everybody have one document for each answer', async () => {
    const text = (await run({ format: 'conll', responses: { of: 'all' } })).toString()
    expect(text.match(/# user = .*/g)).toEqual([world.owner, world.memberAdmin].map(({ username }) => `# user = ${username}`))
    expect(text).toContain('😀\tB-thing')
  })

  test('as spaCy has them are JSON lines', async () => {
    const [document] = linesOf(await run({ format: 'spacy' }))
    expect(document).toMatchObject({ text: 'One thing 😀 here', ents: [thing(4, 9)], meta: { id: 'first', user: null } })
  })
})

test('the columns are listed with their kinds and types', async () => {
  const list = async (query = '') =>
    (await world.memberAdmin.done<ExportColumns>(`GET /datasets/${datasetId}/exports/columns${query}`)).items
  const items = await list()
  const wanted = [
    { name: 'id', kind: 'record', type: 'string' },
    { name: 'talk', kind: 'field', type: 'list' },
    { name: 'field.id', kind: 'field', type: 'string' },
    { name: 'span.responses', kind: 'response', type: 'list' },
    { name: 'label.suggestion.score', kind: 'suggestion', type: 'float64' },
    { name: 'metadata.integer', kind: 'metadata', type: 'int64' },
    { name: 'vector.embed', kind: 'vector', type: 'list' },
  ]
  expect(items).toEqual(expect.arrayContaining(wanted))
  expect(items.map(({ name }) => name)).toEqual(Object.keys((await rowsOf())[0] ?? {}))
  const resolved = (await list('?responses=resolved')).map(({ name }) => name)
  expect(resolved).toEqual(Object.keys((await rowsOf({ responses: { of: 'resolved' } }))[0] ?? {}))
})
