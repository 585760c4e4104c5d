/** Export to the hub: every row of its table, the contents of the files, and the handling of the token. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@postil/domain/jobs'
import type { Id } from '@postil/domain/schema'
import { parquetSchema } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { runRows } from '../databases/rows.ts'
import { openWorld, type World } from './http.ts'
import { aHubDataset, QUESTIONS, readParquet, TOKEN, untilEnded } from './hub-world.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let world: World
let datasetId: Id
let recordIds: Id[]
beforeAll(async () => {
  world = await openWorld()
  datasetId = await aHubDataset(world.owner, world.workspaceId, {
    fields: [
      { name: 'text', type: 'text' },
      { name: 'picture', type: 'image' },
      { name: 'talk', type: 'chat' },
      { name: 'page', type: 'custom' },
    ],
    questions: Object.entries(QUESTIONS).map(([name, settings]) => ({ name, settings })),
    metadata: ['terms', 'integer', 'float'].map(type => ({ name: type, settings: { type } })),
    vectors: [{ name: 'embed', dimensions: 2 }],
  })
  const { items: questions } = await world.owner.done<{ items: { id: Id; name: string }[] }>(
    `GET /datasets/${datasetId}/questions`,
  )
  const questionId = (name: string) => questions.find(question => question.name === name)?.id
  const whole = {
    external_id: 'whole',
    fields: {
      text: 'a thing',
      picture: `data:image/png;base64,${PNG.toString('base64')}`,
      talk: [{ role: 'user', content: 'hi' }],
      page: { deep: [1, null] },
    },
    metadata: { terms: 'web', integer: 7, float: 0.5, extra: 'not exported' },
    vectors: { embed: [0.25, -1] },
    suggestions: [
      { question_id: questionId('label'), value: 'pos', score: 0.5, agent: 'model-1' },
      { question_id: questionId('labels'), value: ['a', 'b'], score: [0.25, 0.75] },
    ],
    responses: [
      { user_id: world.owner.id, status: 'submitted', values: VALUES },
      { user_id: world.memberAdmin.id, status: 'draft', values: { comment: { value: 'Hm' } } },
      { user_id: world.memberAnnotator.id, status: 'discarded', values: null },
    ],
  }
  const bare = { fields: { text: 'bare', picture: 'https://images.example/b.png' } }
  const { items } = await world.owner.done<{ items: { id: Id }[] }>(`POST /datasets/${datasetId}/records/bulk`, {
    items: [whole, bare],
  })
  recordIds = items.map(({ id }) => id)
})
afterAll(() => world?.close())

const VALUES = {
  label: { value: 'neg' },
  labels: { value: ['b', 'c'] },
  comment: { value: 'Fine' },
  rating: { value: 4 },
  ranking: {
    value: [
      { value: 'y', rank: 1 },
      { value: 'x', rank: 2 },
    ],
  },
  span: { value: [{ label: 'thing', start: 2, end: 7 }] },
}

async function run(body: object) {
  const answer = await world.memberAdmin.send<Job>(`POST /datasets/${datasetId}/export`, { token: TOKEN, ...body })
  expect(answer).toMatchObject({ status: 202, body: { status: 'queued' } })
  return untilEnded(world, answer.body.id)
}

/** Converts values to JSON. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, entry) =>
      typeof entry === 'bigint' ? Number(entry) : ArrayBuffer.isView(entry) ? Array.from(entry as Uint8Array) : entry,
    ),
  )

describe('the records', () => {
  let rows: Record<string, unknown>[]
  let features: Record<string, unknown>
  let columns: string[]
  beforeAll(async () => {
    expect(await run({ name: 'team/records' })).toMatchObject({
      name: 'hub-export',
      status: 'finished',
      error: null,
      progress: { done: 2, total: 2 },
    })
    const file = await readParquet(world.hub.files('team/records')['data/train-00000-of-00001.parquet'] as Buffer)
    rows = file.rows.map(row => plain(row) as Record<string, unknown>)
    columns = parquetSchema(file.metadata).children.map(({ element }) => element.name)
    const told = file.metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value
    features = JSON.parse(told ?? '').info.features
  })

  const record = async (index: number) => world.owner.done<Record<string, string>>(`GET /records/${recordIds[index]}`)

  test('are rows, in their order, with ids, status and times', async () => {
    expect(rows.map(({ id, status, _server_id }) => [id, status, _server_id])).toEqual([
      ['whole', 'completed', recordIds[0]],
      [null, 'pending', recordIds[1]],
    ])
    const { inserted_at = '', updated_at = '' } = await record(0)
    expect([rows[0]?.inserted_at, rows[0]?.updated_at]).toEqual([`${inserted_at.slice(0, 23)}Z`, `${updated_at.slice(0, 23)}Z`])
    expect(features).toMatchObject({ inserted_at: { dtype: 'timestamp[us]', _type: 'Value' } })
  })

  const others = [() => world.memberAdmin.id, () => world.memberAnnotator.id]
  test.each([
    { name: 'text', whole: 'a thing', bare: 'bare', feature: { dtype: 'string', _type: 'Value' } },
    {
      name: 'picture',
      whole: { bytes: Array.from(PNG), path: null },
      bare: { bytes: null, path: 'https://images.example/b.png' },
      feature: { _type: 'Image' },
    },
    {
      name: 'talk',
      whole: [{ role: 'user', content: 'hi' }],
      bare: null,
      feature: [{ role: { dtype: 'string', _type: 'Value' }, content: { dtype: 'string', _type: 'Value' } }],
    },
    {
      name: 'page',
      whole: { deep: [1, null] },
      bare: null,
      feature: { deep: { feature: { dtype: 'int64', _type: 'Value' }, _type: 'Sequence' } },
    },
    { name: 'label.responses', whole: ['neg', null, null], bare: null },
    { name: 'labels.responses', whole: [['b', 'c'], null, null], bare: null },
    { name: 'comment.responses', whole: ['Fine', 'Hm', null], bare: null },
    {
      name: 'rating.responses',
      whole: [4, null, null],
      bare: null,
      feature: { feature: { dtype: 'int64', _type: 'Value' }, _type: 'Sequence' },
    },
    { name: 'ranking.responses', whole: [VALUES.ranking.value, null, null], bare: null },
    { name: 'span.responses', whole: [VALUES.span.value, null, null], bare: null },
    { name: 'label.responses.status', whole: ['submitted', 'draft', 'discarded'], bare: null },
    { name: 'label.suggestion', whole: 'pos', bare: null },
    { name: 'label.suggestion.agent', whole: 'model-1', bare: null },
    { name: 'label.suggestion.score', whole: 0.5, bare: null },
    { name: 'labels.suggestion', whole: ['a', 'b'], bare: null },
    { name: 'labels.suggestion.score', whole: [0.25, 0.75], bare: null },
    { name: 'span.suggestion', whole: null, bare: null },
    { name: 'metadata.terms', whole: ['web'], bare: null },
    { name: 'metadata.integer', whole: 7, bare: null },
    { name: 'metadata.float', whole: 0.5, bare: null },
    { name: 'vector.embed', whole: [0.25, -1], bare: null },
  ])('have the column $name', ({ name, whole, bare, feature }) => {
    // The reader omits null lists.
    expect([rows[0]?.[name] ?? null, rows[1]?.[name] ?? null]).toEqual([whole, bare])
    if (feature) expect(features[name]).toEqual(feature)
  })

  test('have the users beside the values, and no extra metadata', () => {
    expect(rows[0]?.['label.responses.users']).toEqual([world.owner.id, ...others.map(id => id())])
    expect(Object.keys(rows[0] ?? {}).filter(name => name.startsWith('metadata.'))).toEqual([
      'metadata.terms',
      'metadata.integer',
      'metadata.float',
    ])
    expect(Object.keys(features)).toEqual(columns)
  })
})

describe('the repository', () => {
  const json = (name: string, path: string) => JSON.parse(String(world.hub.files(name)[path]))
  const front = (name: string) => parse(String(world.hub.files(name)['README.md']).split('---\n')[1] ?? '')

  test('gets the settings and a card, in one commit', async () => {
    await run({ name: 'team/card' })
    expect(world.hub.commits('team/card')).toHaveLength(2)
    expect(json('team/card', '.argilla/version.json')).toEqual({ argilla: '2.8.0' })
    expect(json('team/card', '.argilla/dataset.json')).toEqual(await world.owner.done(`GET /datasets/${datasetId}`))
    const list = async (path: string) =>
      (await world.owner.done<{ items: unknown[] }>(`GET /datasets/${datasetId}/${path}`)).items
    expect(json('team/card', '.argilla/settings.json')).toEqual({
      guidelines: null,
      allow_extra_metadata: true,
      distribution: { strategy: 'overlap', min_submitted: 1 },
      fields: await list('fields'),
      questions: await list('questions'),
      metadata: (await world.owner.done<{ items: unknown[] }>(`GET /me/datasets/${datasetId}/metadata-properties`)).items,
      vectors: await list('vectors-settings'),
    })
    expect(front('team/card')).toEqual({
      tags: ['rlfh', 'argilla', 'human-feedback'],
      configs: [{ config_name: 'default', data_files: [{ split: 'train', path: 'data/train-*' }] }],
    })
    expect(world.hub.isPrivate('team/card')).toBe(false)
  })

  test.each([
    { given: { subset: null, split: null, private: null }, path: 'data/train-00000-of-00001.parquet', isPrivate: false },
    { given: { subset: 'small', split: 'test', private: true }, path: 'small/test-00000-of-00001.parquet', isPrivate: true },
  ])('of $given', async ({ given, path, isPrivate }) => {
    const name = `team/place-${isPrivate}`
    expect(await run({ name, ...given })).toMatchObject({ status: 'finished' })
    expect(Object.keys(world.hub.files(name))).toContain(path)
    expect(world.hub.isPrivate(name)).toBe(isPrivate)
  })

  test('keeps what else it has, and loses the files of the earlier export', async () => {
    const readme = '---\nlicense: mit\nconfigs:\n- config_name: other\n  data_files: x.csv\ntags: [mine]\n---\n# My own words\n'
    world.hub.put('team/grown', {
      'README.md': readme,
      'x.csv': 'a\n',
      'data/train-00000-of-00002.parquet': 'old',
      'data/train-00001-of-00002.parquet': 'old',
      'data/test-00000-of-00001.parquet': 'kept',
    })
    await run({ name: 'team/grown' })
    const paths = Object.keys(world.hub.files('team/grown')).filter(path => !path.startsWith('.'))
    expect(paths).toEqual(['README.md', 'data/test-00000-of-00001.parquet', 'data/train-00000-of-00001.parquet', 'x.csv'])
    expect(front('team/grown')).toEqual({
      license: 'mit',
      tags: ['mine', 'rlfh', 'argilla', 'human-feedback'],
      configs: [
        { config_name: 'other', data_files: 'x.csv' },
        { config_name: 'default', data_files: [{ split: 'train', path: 'data/train-*' }] },
      ],
    })
    expect(String(world.hub.files('team/grown')['README.md'])).toContain('# My own words')
  })

  test('gets one commit, also if the answer to it was lost', async () => {
    world.hub.fail({ path: /team\/once\/commit\//, method: 'POST', cutAfterBytes: -1 })
    expect(await run({ name: 'team/once' })).toMatchObject({ status: 'finished' })
    expect(world.hub.commits('team/once')).toHaveLength(2)
  })
})

describe('the token', () => {
  test('is in the database while the job waits, encrypted, and gone when it has ended', async () => {
    const held = Promise.withResolvers<void>()
    world.hub.fail({ path: /repos\/create/, until: held.promise })
    const { id } = await world.memberAdmin.done<Job>(`POST /datasets/${datasetId}/export`, { name: 'team/secret', token: TOKEN })
    const payload = async () =>
      (await runRows<{ payload: string }>(world.server, 'select payload from jobs where id = ?', [id]))[0]?.payload
    expect(JSON.parse((await payload()) ?? '')).toMatchObject({ token: expect.any(String) })
    held.resolve()
    await untilEnded(world, id)
    expect(JSON.parse((await payload()) ?? '')).toMatchObject({ token: null })
  })

  test.each(['failed', 'canceled'])('is gone when the job has %s', async status => {
    const held = Promise.withResolvers<void>()
    world.hub.fail({ path: /repos\/create/, until: held.promise, ...(status === 'failed' && { status: 403 }) })
    const { id } = await world.memberAdmin.done<Job>(`POST /datasets/${datasetId}/export`, { name: 'team/ended', token: TOKEN })
    // The hub has received the request to create the repository, but has not responded yet.
    await expect.poll(() => world.hub.requests.at(-1)?.path, { timeout: 60_000 }).toContain('repos/create')
    await expect.poll(() => world.hub.requests.at(-1)?.status, { timeout: 60_000 }).toBeNull()
    if (status === 'canceled') await world.owner.done(`POST /jobs/${id}/cancel`)
    held.resolve()
    expect(await untilEnded(world, id)).toMatchObject({ status })
    const [row] = await runRows<{ payload: string }>(world.server, 'select payload from jobs where id = ?', [id])
    expect(JSON.parse(row?.payload ?? '')).toMatchObject({ token: null })
    if (status === 'failed') expect((await world.owner.send(`POST /jobs/${id}/retry`)).status).toBe(422)
  })

  test('is in no file and no line of the server', async () => {
    const { home, output } = world.server
    expect(output()).not.toContain(TOKEN)
    // A canceled export detects it with a delay.
    await expect.poll(() => world.hub.hasRepository('team/ended'), { timeout: 60_000 }).toBe(true)
    await expect.poll(() => readdir(join(home, 'hub-exports')), { timeout: 60_000 }).toEqual([])
    const names = (await readdir(home, { withFileTypes: true, recursive: true })).filter(entry => entry.isFile())
    for (const { name, parentPath } of names) {
      expect((await readFile(join(parentPath, name))).includes(TOKEN), name).toBe(false)
    }
    expect(world.hub.commits('team/ended').map(({ title }) => title)).toEqual(['initial commit'])
  })

  test('is not sent to the storage of large files', () => {
    expect(world.hub.requests.filter(({ origin }) => origin === 'storage').map(({ token }) => token)).not.toContain(TOKEN)
    expect(world.hub.requests.some(({ origin }) => origin === 'storage')).toBe(true)
  })
})
