/** Requests that are rejected before a job starts, failing jobs, and jobs that are retried or canceled. */
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from './http.ts'
import { aHubDataset, findJob, listRecords, TOKEN, toParquet, untilEnded } from './hub-world.ts'

let world: World
let datasetId: Id
beforeAll(async () => {
  world = await openWorld()
  datasetId = await aHubDataset(world.owner, world.workspaceId)
})
afterAll(() => world?.close())

const MAPPING = { fields: [{ source: 'col', target: 'text' }] }
const IMPORT = { name: 'team/data', subset: 'default', split: 'train', mapping: MAPPING }
const EXPORT = { name: 'team/out', token: TOKEN }

const texts = (count: number) =>
  toParquet({ columnData: [{ name: 'col', data: Array.from({ length: count }, (_, row) => `text ${row}`), type: 'STRING' }] })

const aDataset = () => aHubDataset(world.owner, world.workspaceId)

async function start(body: object = IMPORT, id = datasetId, kind: 'import' | 'export' = 'import'): Promise<Id> {
  return (await world.memberAdmin.done<{ id: Id }>(`POST /datasets/${id}/${kind}`, body)).id
}

const run = async (...given: Parameters<typeof start>) => untilEnded(world, await start(...given))

describe('an import is refused', () => {
  const target = (kind: 'fields' | 'metadata' | 'suggestions', name: string) => ({
    ...IMPORT,
    mapping: { ...MAPPING, [kind]: [{ source: 'col', target: name }] },
  })
  test.each([
    {
      body: target('fields', 'nope'),
      says: 'at mapping.fields.0.target: `nope` is not a field of this dataset. Expected one of: text',
    },
    { body: target('suggestions', 'nope'), says: '`nope` is not a question of this dataset. Expected one of: label' },
    {
      body: target('metadata', 'nope'),
      says: '`nope` is not a metadata property of this dataset. The dataset has no metadata property',
    },
    { body: { ...IMPORT, mapping: { fields: [...MAPPING.fields, ...MAPPING.fields] } }, says: 'target of more than one column' },
    { body: { ...IMPORT, name: '../../etc' }, says: 'A repository is named `owner/name`' },
    { body: { ...IMPORT, name: 'a/b/c' }, says: 'A repository is named `owner/name`' },
    { body: { ...IMPORT, name: '' }, says: 'A repository is named `owner/name`' },
    { body: { ...IMPORT, split: '' }, says: 'The split is missing' },
  ])('$says', async ({ body, says }) => {
    const answer = await world.memberAdmin.send<{ detail: string }>(`POST /datasets/${datasetId}/import`, body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toContain(says)
  })

  test('into a draft', async () => {
    const draft = await aHubDataset(world.owner, world.workspaceId, { isDraft: true })
    const answer = await world.memberAdmin.send<{ detail: string }>(`POST /datasets/${draft}/import`, IMPORT)
    expect([answer.status, typeof answer.body.detail]).toEqual([422, 'string'])
  })

  test.each(['name', 'subset', 'split', 'mapping'])('without %s', async key => {
    const body = Object.fromEntries(Object.entries(IMPORT).filter(([given]) => given !== key))
    const answer = await world.memberAdmin.send(`POST /datasets/${datasetId}/import`, body)
    expect(answer).toMatchObject({ status: 422, body: { detail: { params: { errors: [{ type: 'missing' }] } } } })
  })
})

describe('an export is refused', () => {
  test.each([
    { body: { token: TOKEN }, about: 'without a name' },
    { body: { ...EXPORT, name: '' }, about: 'with an empty name' },
    { body: { name: 'team/out' }, about: 'without a token' },
    { body: { ...EXPORT, token: '' }, about: 'with an empty token' },
    { body: { ...EXPORT, subset: '' }, about: 'with an empty subset' },
    { body: { ...EXPORT, split: '' }, about: 'with an empty split' },
    { body: { ...EXPORT, subset: 'a/../b' }, about: 'with a subset that leaves its folder' },
    { body: { ...EXPORT, split: 'a/b' }, about: 'with a split that leaves its folder' },
    { body: { ...EXPORT, private: 'maybe' }, about: 'with another word for private' },
    { body: EXPORT, about: 'without records' },
  ])('$about', async ({ body }) => {
    const empty = await aDataset()
    expect((await world.memberAdmin.send(`POST /datasets/${empty}/export`, body)).status).toBe(422)
  })
})

describe('a job fails at once', () => {
  test.each([
    { about: 'without the repository', body: { ...IMPORT, name: 'team/none' }, error: 'The hub has no dataset `team/none`' },
    {
      about: 'without the split',
      body: { ...IMPORT, split: 'test' },
      error: 'no Parquet files for subset `default` and split `test`',
    },
    {
      about: 'without the column',
      body: { ...IMPORT, mapping: { fields: [{ source: 'other', target: 'text' }] } },
      error: '`data/train-0.parquet` has no column `other`. Columns: col',
    },
    {
      about: 'with another file',
      body: { ...IMPORT, name: 'team/broken' },
      error: '`data/train-0.parquet` is not a Parquet file',
    },
  ])('$about', async ({ body, error }) => {
    world.hub.put('team/data', { 'data/train-0.parquet': texts(3) })
    world.hub.put('team/broken', { 'data/train-0.parquet': 'x'.repeat(100) })
    const job = await run(body)
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining(error), attempts: 1 })
  })

  test('with a token that the hub does not know', async () => {
    const id = await aDataset()
    world.hub.put('team/data', { 'data/train-0.parquet': texts(3) })
    await run(IMPORT, id)
    const job = await run({ ...EXPORT, token: 'hf_wrong' }, id, 'export')
    expect(job).toMatchObject({ status: 'failed', attempts: 1 })
    expect(job.error).not.toContain('hf_wrong')
    expect(world.server.output()).not.toContain('hf_wrong')
  })
})

describe('a job goes on', () => {
  test('after the hub was not well', async () => {
    const id = await aDataset()
    world.hub.put('team/shaky', { 'data/train-0.parquet': texts(120) })
    world.hub.fail({ path: /team\/shaky\/tree/, status: 503 })
    expect(await run({ ...IMPORT, name: 'team/shaky' }, id)).toMatchObject({
      status: 'finished',
      progress: { done: 120, total: 120 },
    })
    expect(await listRecords(world.owner, id)).toHaveLength(120)
  })

  test('when an owner starts it again', async () => {
    const id = await aDataset()
    const failed = await run({ ...IMPORT, name: 'team/late' }, id)
    expect(failed.status).toBe('failed')
    world.hub.put('team/late', { 'data/train-0.parquet': texts(3) })
    await world.owner.done(`POST /jobs/${failed.id}/retry`)
    expect(await untilEnded(world, failed.id)).toMatchObject({ status: 'finished', error: null })
    expect(await listRecords(world.owner, id)).toHaveLength(3)
  })
})

describe('an owner cancels', () => {
  test('an import: nothing more is stored', async () => {
    const id = await aDataset()
    world.hub.put('team/slow', { 'data/train-0.parquet': texts(150) })
    const held = Promise.withResolvers<void>()
    world.hub.fail({ path: /team\/slow\/resolve/, until: held.promise })
    const job = await start({ ...IMPORT, name: 'team/slow' }, id)
    await expect.poll(async () => (await findJob(world, job)).status).toBe('started')
    expect(await world.owner.done(`POST /jobs/${job}/cancel`)).toMatchObject({ status: 'canceled' })
    held.resolve()
    // Later jobs still run.
    world.hub.put('team/after', { 'data/train-0.parquet': texts(3) })
    expect(await run({ ...IMPORT, name: 'team/after' })).toMatchObject({ status: 'finished' })
    expect(await listRecords(world.owner, id)).toEqual([])
    expect(await findJob(world, job)).toMatchObject({ status: 'canceled' })
  })
})
