/** Import from the hub: every row of its tables. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PARQUET_BRANCH } from '../hub/server.ts'
import { openWorld, type World } from './http.ts'
import { CONVERSIONS, OPTIONAL, TEXT } from './hub-values.ts'
import { aHubDataset, type Columns, listRecords, QUESTIONS, toParquet, untilEnded } from './hub-world.ts'
import { HUB_IMPORT_ROWS_MAX } from './shared-servers.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

let repositories = 0
/** Creates a repository with one file in the split `train`. */
function put(columns: Columns, path = 'data/train-00000-of-00001.parquet'): string {
  const name = `team/data-${++repositories}`
  world.hub.put(name, { [path]: toParquet(columns) })
  return name
}

const texts = (count: number): Columns => ({
  columnData: [{ name: 'col', data: Array.from({ length: count }, (_, index) => `text ${index}`), type: 'STRING' }],
})

const MAPPING = { fields: [{ source: 'col', target: 'text' }] }

async function start(datasetId: Id, name: string, mapping: object = MAPPING, place: object = {}): Promise<Id> {
  const body = { name, subset: 'default', split: 'train', mapping, ...place }
  const answer = await world.memberAdmin.send<{ id: Id }>(`POST /datasets/${datasetId}/import`, body)
  expect(answer).toMatchObject({ status: 202, body: { id: expect.any(String), status: 'queued' } })
  return answer.body.id
}

async function run(datasetId: Id, name: string, mapping: object = MAPPING, place: object = {}) {
  return untilEnded(world, await start(datasetId, name, mapping, place))
}

const aDataset = (given = {}) => aHubDataset(world.owner, world.workspaceId, given)

describe('rows', () => {
  test('of a split become records, with external ids from the split', async () => {
    const id = await aDataset()
    const job = await run(id, put(texts(3)))
    expect(job).toMatchObject({
      name: 'hub-import',
      status: 'finished',
      error: null,
      dataset_id: id,
      progress: { done: 3, total: 3 },
      skipped: { count: 0, rows: [] },
    })
    const records = await listRecords(world.owner, id)
    expect(records.map(({ external_id, fields }) => [external_id, fields.text])).toEqual([
      ['train_0', 'text 0'],
      ['train_1', 'text 1'],
      ['train_2', 'text 2'],
    ])
    expect(await world.memberAdmin.done(`GET /jobs/${job.id}`)).toMatchObject({
      id: job.id,
      status: 'finished',
      progress: { done: 3, total: 3 },
      error: null,
    })
    const { items } = await world.owner.done<{ items: { event: string }[] }>(`GET /datasets/${id}/events?after=0`)
    expect(items.filter(({ event }) => event === 'record.created')).toHaveLength(1)
  })

  test('are taken up to the limit, from several files and row groups', async () => {
    const id = await aDataset()
    const name = put({ ...texts(130), rowGroupSize: 40 }, 'data/train-00000-of-00002.parquet')
    const more = texts(200).columnData.map(column => ({ ...column, data: Array.from(column.data, text => `more ${text}`) }))
    world.hub.put(name, { 'data/train-00001-of-00002.parquet': toParquet({ columnData: more, rowGroupSize: 70 }) })
    const job = await run(id, name)
    expect(job).toMatchObject({ status: 'finished', progress: { done: HUB_IMPORT_ROWS_MAX, total: HUB_IMPORT_ROWS_MAX } })
    const records = await listRecords(world.owner, id)
    expect(records.map(({ external_id }) => external_id)).toEqual(records.map((_, index) => `train_${index}`))
    expect(records.map(({ fields }) => fields.text)).toEqual([
      ...Array.from({ length: 130 }, (_, index) => `text ${index}`),
      ...Array.from({ length: HUB_IMPORT_ROWS_MAX - 130 }, (_, index) => `more text ${index}`),
    ])
  })

  test('change the records that have their external ids', async () => {
    const id = await aDataset()
    const rows = (...values: string[]): Columns => ({
      columnData: [
        { name: 'col', data: values, type: 'STRING' },
        { name: 'key', data: values.map((_, index) => (index === 2 ? null : index + 7)), type: 'INT32' },
      ],
    })
    const mapping = { ...MAPPING, external_id: 'key' }
    await run(id, put(rows('a', 'b', 'c')), mapping)
    const before = await listRecords(world.owner, id)
    expect(before.map(({ external_id }) => external_id)).toEqual(['7', '8', 'train_2'])
    expect(await run(id, put(rows('A', 'B', 'C')), mapping)).toMatchObject({ status: 'finished' })
    const after = await listRecords(world.owner, id)
    expect(after.map(record => [record.id, record.fields.text])).toEqual(before.map(({ id }, index) => [id, 'ABC'[index]]))
  })

  test('that break a rule are skipped, counted and named; the others are stored', async () => {
    const id = await aDataset()
    const labels = Array.from({ length: 130 }, (_, index) => (index % 5 === 0 ? 'neither' : 'pos'))
    const name = put({ columnData: [...texts(130).columnData, { name: 'label', data: labels, type: 'STRING' }] })
    const job = await run(id, name, { ...MAPPING, suggestions: [{ source: 'label', target: 'label' }] })
    expect(job).toMatchObject({ status: 'finished', progress: { done: 130, total: 130 }, skipped: { count: 26 } })
    expect(job.skipped?.rows).toHaveLength(20)
    // Admins of the dataset see them too; other users do not.
    expect(await world.memberAdmin.done(`GET /jobs/${job.id}`)).toMatchObject({ skipped: job.skipped })
    expect(await world.strangerAdmin.send(`GET /jobs/${job.id}`)).toMatchObject({ status: 403 })
    expect(job.skipped?.rows[1]).toEqual({
      row: 5,
      reason: expect.stringContaining('`neither` is not an option of question `label`'),
    })
    expect(await listRecords(world.owner, id)).toHaveLength(104)
  })

  test('with the same external id in one batch: the last one counts', async () => {
    const id = await aDataset()
    const data = ['first', 'second', 'third']
    const name = put({
      columnData: [
        { name: 'col', data, type: 'STRING' },
        { name: 'key', data: ['x', 'y', 'x'], type: 'STRING' },
      ],
    })
    const job = await run(id, name, { ...MAPPING, external_id: 'key' })
    expect(job.skipped).toEqual({ count: 1, rows: [{ row: 0, reason: 'Row 2 has the same external id and replaces it' }] })
    const records = await listRecords(world.owner, id)
    expect(new Map(records.map(({ external_id, fields }) => [external_id, fields.text]))).toEqual(
      new Map([
        ['x', 'third'],
        ['y', 'second'],
      ]),
    )
  })
})

describe('values', () => {
  let id: Id
  beforeAll(async () => {
    id = await aDataset({
      fields: [
        { name: 'title', type: 'text' },
        { name: 'text', type: 'text' },
        { name: 'note', type: 'text' },
        { name: 'picture', type: 'image' },
        { name: 'talk', type: 'chat' },
        { name: 'page', type: 'custom' },
      ],
      questions: Object.entries(QUESTIONS).map(([name, settings]) => ({ name, settings })),
      metadata: ['terms', 'integer', 'float'].map(type => ({ name: type, settings: { type } })),
    })
  })

  test.each(CONVERSIONS)('$about', async ({ about, columns, target, stored }) => {
    const [kind, name = ''] = target.split(' ')
    const { features, ...file } = columns
    const title = { name: 'title', data: [about], type: 'STRING' as const }
    const schema = file.schema && [
      { name: 'root', num_children: 2 },
      ...file.schema.slice(1),
      { name: 'title', ...OPTIONAL, ...TEXT },
    ]
    const repository = put({
      columnData: [...file.columnData, { name: title.name, data: title.data }],
      ...(schema && { schema }),
      ...(features && { features }),
    })
    const item = [{ source: 'source', target: name }]
    const job = await run(id, repository, {
      fields: [{ source: 'title', target: 'title' }, ...(kind === 'field' ? item : [])],
      suggestions: kind === 'question' ? item : [],
      metadata: kind === 'metadata' ? item : [],
      external_id: 'title',
    })
    expect([job.error, job.skipped]).toEqual([null, { count: 0, rows: [] }])
    const record = (await listRecords(world.owner, id)).find(({ external_id }) => external_id === about)
    const [suggestion] = record?.suggestions ?? []
    if (suggestion) expect(suggestion).toMatchObject({ agent: null, type: null, score: null })
    const values = { field: record?.fields[name], metadata: record?.metadata?.[name], question: suggestion?.value }
    expect(values[kind as keyof typeof values]).toEqual(stored)
  })
})

describe('the files of a split', () => {
  const file = () => toParquet(texts(2))
  const readme = (configs: string) => `---\nconfigs:\n${configs}---\n# Data\n`
  test.each([
    {
      about: 'in a folder of the subset',
      subset: 'small',
      split: 'test',
      files: () => ({ 'small/test-00000-of-00001.parquet': file() }),
    },
    {
      about: 'that the README names',
      subset: 'other',
      split: 'dev',
      files: () => ({
        'README.md': readme('- config_name: other\n  data_files:\n  - split: dev\n    path: "x/*.parquet"\n'),
        'x/1.parquet': file(),
      }),
    },
    { about: 'in the root', subset: 'default', split: 'train', files: () => ({ 'train.parquet': file() }) },
  ])('$about', async ({ subset, split, files }) => {
    const id = await aDataset()
    const name = `team/data-${++repositories}`
    world.hub.put(name, files())
    expect(await run(id, name, MAPPING, { subset, split })).toMatchObject({ status: 'finished', progress: { done: 2, total: 2 } })
  })

  test('that the hub has converted from another format', async () => {
    const id = await aDataset()
    const name = `team/data-${++repositories}`
    world.hub.put(name, { 'data.csv': 'col\n1\n' })
    world.hub.put(name, { 'default/train/0000.parquet': file() }, { branch: PARQUET_BRANCH })
    expect(await run(id, name)).toMatchObject({ status: 'finished', progress: { done: 2, total: 2 } })
  })
})
