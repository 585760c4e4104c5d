/** Previews of a dataset on the hub before an import. */
import type { HubDataset } from '@postil/domain/hub'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PARQUET_BRANCH } from '../hub/server.ts'
import { openWorld, type World } from './http.ts'
import { type Columns, toParquet } from './hub-world.ts'
import { HUB_IMPORT_ROWS_MAX } from './shared-servers.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const look = (name: string, rest = '') =>
  world.memberAdmin.send<HubDataset & { detail: string }>(`GET /hub/datasets?name=${encodeURIComponent(name)}${rest}`)

const text = (name: string, ...data: (string | null)[]): Columns['columnData'][number] => ({ name, data, type: 'STRING' })
const file = (...columnData: Columns['columnData']) => toParquet({ columnData })
const TRAIN = 'data/train-00000-of-00001.parquet'

describe('subsets and splits', () => {
  test.each([
    {
      from: 'files in the usual places',
      files: {
        [TRAIN]: file(text('a', 'x')),
        'data/test.parquet': file(text('a', 'x')),
        'validation/0.parquet': file(text('a', 'x')),
        'more/dev/0.parquet': file(text('a', 'x')),
        'notes.txt': 'not data',
      },
      subsets: [
        { name: 'default', splits: ['train', 'validation', 'test'] },
        { name: 'more', splits: ['dev'] },
      ],
    },
    {
      from: 'the README',
      files: {
        'README.md':
          '---\nconfigs:\n- config_name: small\n  data_files:\n  - split: dev\n    path: s/*\n- config_name: large\n  data_files: l/*\n- config_name: none\n  data_files: n/*\n---\n',
        's/1.parquet': file(text('a', 'x')),
        'l/1.parquet': file(text('a', 'x')),
      },
      subsets: [
        { name: 'small', splits: ['dev'] },
        { name: 'large', splits: ['train'] },
      ],
    },
  ])('come from $from', async ({ files, subsets, from }) => {
    const name = `team/${from.replaceAll(' ', '-')}`
    world.hub.put(name, files)
    const { status, body } = await look(name)
    expect({ status, subsets: body.subsets }).toEqual({ status: 200, subsets })
    expect(body).toMatchObject({ subset: subsets[0]?.name, split: subsets[0]?.splits[0] })
  })

  test('come from what the hub has converted, too', async () => {
    world.hub.put('team/csv', { 'train.csv': 'a\n1\n' })
    world.hub.put('team/csv', { 'default/partial-train/0.parquet': file(text('a', '1')) }, { branch: PARQUET_BRANCH })
    expect((await look('team/csv')).body).toMatchObject({ subsets: [{ name: 'default', splits: ['train'] }], rows: [['1']] })
  })

  test('are chosen in the request', async () => {
    world.hub.put('team/two', { [TRAIN]: file(text('a', 'x')), 'other/test.parquet': file(text('b', 'y')) })
    expect((await look('team/two', '&subset=other')).body).toMatchObject({ subset: 'other', split: 'test', rows: [['y']] })
  })
})

test('columns have types, classes and examples, and what they may be good for', async () => {
  const { body } = await lookAtColumns()
  const told = body.columns.map(({ name, type, suggestion, distinct, is_class, empty }) => {
    return { name, type, suggestion, distinct, is_class, empty }
  })
  expect(told).toEqual([
    { name: 'id', type: 'text', suggestion: 'external_id', distinct: ['r1', 'r2'], is_class: false, empty: 0 },
    { name: 'body', type: 'long_text', suggestion: 'field', distinct: null, is_class: false, empty: 1 },
    { name: 'label', type: 'text', suggestion: 'suggestion', distinct: ['neg', 'pos'], is_class: true, empty: 0 },
    { name: 'size', type: 'float', suggestion: 'metadata', distinct: null, is_class: false, empty: 0 },
  ])
  expect(body).toMatchObject({
    rows_count: 2,
    rows_max: HUB_IMPORT_ROWS_MAX,
    problems: [],
    url: `${world.hub.url}/datasets/team/columns`,
  })
  expect(body.rows[0]).toEqual(['r1', 'word '.repeat(50), 'pos', 1.5])
  expect(body.rows[1]).toEqual(['r2', null, 'neg', 2])
})

async function lookAtColumns() {
  const columnData: Columns['columnData'] = [
    text('id', 'r1', 'r2'),
    text('body', 'word '.repeat(50), null),
    { name: 'label', data: [1, 0], type: 'INT32' },
    { name: 'size', data: [1.5, 2], type: 'DOUBLE' },
  ]
  const features = { label: { _type: 'ClassLabel', names: ['neg', 'pos'] } }
  world.hub.put('team/columns', { [TRAIN]: toParquet({ columnData, features }) })
  return look('team/columns')
}

test('long values are cut, few rows are shown, and rows of all files are counted', async () => {
  const rows = Array.from({ length: 150 }, (_, index) => `${index} ${'x'.repeat(20_000)}`)
  const part = (no: number) => `data/train-0000${no}-of-00002.parquet`
  world.hub.put('team/long', { [part(0)]: file(text('a', ...rows)), [part(1)]: file(text('a', 'b')) })
  const { body } = await look('team/long')
  expect(body.rows_count).toBe(151)
  expect(body.rows).toHaveLength(20)
  expect(JSON.stringify(body.rows[0]).length).toBeLessThan(10_100)
})

test('a column whose first rows are large is named and left out; the others are shown', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `${index}`)
  const huge = text('huge', ...rows.map(row => row + 'x'.repeat(2 ** 19)))
  world.hub.put('team/huge', { [TRAIN]: toParquet({ columnData: [huge, text('small', ...rows)], codec: 'UNCOMPRESSED' }) })
  const before = world.hub.requests.length
  const { body } = await look('team/huge')
  expect(body.problems).toEqual([expect.stringMatching(/^Column `huge` is not shown: its first rows have \d+ MiB/)])
  expect(body.rows[0]).toEqual([null, '0'])
  expect(world.hub.requests.length - before).toBeLessThan(20)
})

describe('is refused', () => {
  test.each([
    { what: 'a name that is not one', name: '../../etc', status: 422, words: /named `owner\/name`/ },
    { what: 'a dataset that is not there', name: 'team/missing', status: 422, words: /no dataset `team\/missing`/ },
    { what: 'a private one', name: 'team/secret', status: 422, words: /without a token/ },
    { what: 'one without Parquet', name: 'team/texts', status: 422, words: /has no Parquet files/ },
    { what: 'a damaged file', name: 'team/damaged', status: 422, words: /is not a Parquet file/ },
    { what: 'a subset that is not there', name: 'team/plain', rest: '&subset=no', status: 422, words: /Subsets: `default`/ },
    { what: 'a split that is not there', name: 'team/plain', rest: '&split=no', status: 422, words: /Splits: `train`/ },
  ])('$what', async ({ name, rest, status, words }) => {
    world.hub.put('team/secret', { [TRAIN]: file(text('a', 'x')) }, { isPrivate: true })
    world.hub.put('team/texts', { 'a.txt': 'x' })
    world.hub.put('team/damaged', { [TRAIN]: 'not Parquet, whatever its name says' })
    world.hub.put('team/plain', { [TRAIN]: file(text('a', 'x')) })
    const answer = await look(name, rest)
    expect(answer.status).toBe(status)
    expect(answer.body.detail).toMatch(words)
  })

  test('while the hub fails, with a message that says so', async () => {
    world.hub.put('team/ill', { [TRAIN]: file(text('a', 'x')) })
    world.hub.fail({ path: /team\/ill/, status: 500, times: 20 })
    const { status, body } = await look('team/ill')
    expect({ status, detail: body.detail }).toEqual({
      status: 503,
      detail: expect.stringMatching(/answered 500.*Try again later/),
    })
  })

  const ANSWERS = ['{"a": "secret"}', 'secret', 'null', '[null]', '[{"type": "file", "path": {"secret": 1}}]', '']
  test.each(ANSWERS)('an address that is not of a hub, and answers `%s`', async body => {
    const name = `team/other-${ANSWERS.indexOf(body)}`
    world.hub.put(name, { [TRAIN]: file(text('a', 'x')) })
    world.hub.fail({ path: new RegExp(name), status: 200, body, times: 20 })
    const answer = await look(name)
    expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining('is not that of a hub') } })
    expect(answer.text).not.toContain('secret')
  })

  test('a connection that is cut, and the next request is answered', async () => {
    world.hub.put('team/cut', { [TRAIN]: file(text('a', 'x')) })
    world.hub.fail({ path: /team\/cut/, cutAfterBytes: -1 })
    expect((await look('team/cut')).status).toBe(503)
    expect((await look('team/cut')).status).toBe(200)
  })
})
