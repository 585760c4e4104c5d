/** The Python programs in the README and the guides, run unchanged with the public SDK against a real server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareReadmeSdk } from '../../scripts/python-sdk.ts'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { readBlocks, runPython, runWithSdk } from './guide-blocks.ts'
import { call } from './webhook-events.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const openFolder = openFolders()
let server: StartedServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const readProgram = (path: string) => readBlocks(path, 'python')[0] ?? ''

/** `input`: content of the export file of another tool. */
async function runProgram(text: string, input = ''): Promise<string> {
  const cwd = openFolder()
  const file = join(cwd, 'export')
  writeFileSync(file, input)
  const env = { POSTIL_URL: server.url, POSTIL_API_KEY: server.apiKey }
  return runWithSdk(text, { args: [file], cwd, env })
}

interface Answer {
  values: Record<string, { value: unknown }>
  status: string
}

interface Found {
  external_id: string
  fields: Record<string, unknown>
  responses: Answer[]
  suggestions: { value: unknown; score: number | null; agent: string | null }[]
}

/** Returns the records of a dataset without the respondents. */
async function readRecords(name: string): Promise<Found[]> {
  const datasets: { id: string; name: string }[] = (await call(server, 'GET', '/me/datasets')).items
  const id = datasets.find(dataset => dataset.name === name)?.id
  const records: Found[] = (await call(server, 'GET', `/datasets/${id}/records?include=responses&include=suggestions`)).items
  return records.sort((a, b) => a.external_id.localeCompare(b.external_id))
}

/** The first time, packages are installed from the registry. */
const INSTALL_MS = 400_000

test(
  'README.md: a dataset with two records, with the SDK installed by its line',
  async () => {
    const sdk = prepareReadmeSdk(ROOT)
    if ('reason' in sdk) throw new Error(sdk.reason)
    const program = readProgram('README.md')
      .replace('http://127.0.0.1:6900', server.url)
      .replace('…the key that was printed…', server.apiKey)
      .replace('"reviews"', '"from-the-readme"')
    await runPython(program, { cwd: openFolder(), env: {}, python: sdk.python })
    expect((await readRecords('from-the-readme')).map(({ fields }) => fields.text).sort()).toEqual([
      'A lovely evening.',
      'The soup was cold.',
    ])
  },
  INSTALL_MS,
)

test('programs.md: suggestions go in, and answers come out', async () => {
  await runProgram(readProgram('docs/guide/programs.md'))
  expect((await readRecords('reviews')).map(({ suggestions }) => suggestions)).toMatchObject([
    [{ value: 'bad', score: 0.9, agent: 'model-1' }],
    [{ value: 'good', score: 0.8, agent: 'model-1' }],
  ])
})

test('move-from-label-studio.md: the newest annotation is the answer, the prediction is the suggestion', async () => {
  const choice = (value: string) => ({ from_name: 'sentiment', to_name: 'text', type: 'choices', value: { choices: [value] } })
  const span = {
    from_name: 'entities',
    to_name: 'text',
    type: 'labels',
    value: { start: 0, end: 3, text: 'Ada', labels: ['PER'] },
  }
  const tasks = [
    {
      id: 1,
      data: { text: 'Ada wrote a program.' },
      annotations: [
        { completed_by: 1, was_cancelled: false, result: [choice('Negative')] },
        { completed_by: 1, was_cancelled: false, result: [choice('Positive'), span] },
        { completed_by: 1, was_cancelled: true, result: [choice('Negative')] },
      ],
      predictions: [{ model_version: 'v2', score: 0.75, result: [choice('Negative')] }],
    },
    { id: 2, data: { text: 'Nobody has read this.' }, annotations: [], predictions: [] },
  ]
  expect(await runProgram(readProgram('docs/guide/move-from-label-studio.md'), JSON.stringify(tasks))).toBe('2 records\n')
  const [first, second] = await readRecords('from-label-studio')
  expect(first).toMatchObject({
    external_id: '1',
    fields: { text: 'Ada wrote a program.' },
    responses: [
      {
        status: 'submitted',
        values: { sentiment: { value: 'Positive' }, entities: { value: [{ start: 0, end: 3, label: 'PER' }] } },
      },
    ],
    suggestions: [{ value: 'Negative', score: 0.75, agent: 'v2' }],
  })
  expect(second).toMatchObject({ external_id: '2', responses: [], suggestions: [] })
})

const toLines = (rows: readonly unknown[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('')

/** Replaces the question of the program with the alternative from its comment, for another dataset. */
function withOtherQuestion(program: string): string {
  const [, question = ''] = /^# For .+?: (rg\..+)$/m.exec(program) ?? []
  return program.replace(/^question = .+$/m, `question = ${question}`).replace(/name="(from-\w+)"/, 'name="$1-labels"')
}

const SPANS = [{ status: 'submitted', values: { labels: { value: [{ start: 0, end: 3, label: 'PER' }] } } }]

test('move-from-doccano.md: spans of both kinds, and labels', async () => {
  const program = readProgram('docs/guide/move-from-doccano.md')
  const spans = [
    { id: 1, text: 'Ada works.', label: [[0, 3, 'PER']], Comments: [] },
    { id: 2, text: 'Ada works.', entities: [{ id: 7, label: 'PER', start_offset: 0, end_offset: 3 }], relations: [] },
    { id: 3, text: 'Nothing yet.', label: [], Comments: [] },
  ]
  expect(await runProgram(program, toLines(spans))).toBe('3 records\n')
  expect((await readRecords('from-doccano')).map(({ responses }) => responses)).toMatchObject([SPANS, SPANS, []])

  const labels = [{ id: 1, text: 'The minister plays football.', label: ['sport', 'politics'], Comments: [] }]
  await runProgram(withOtherQuestion(program), toLines(labels))
  const [record] = await readRecords('from-doccano-labels')
  expect(record?.responses).toMatchObject([{ status: 'submitted', values: { labels: { value: ['sport', 'politics'] } } }])
})

test('move-from-prodigy.md: accepted answers are submitted, rejected ones discarded', async () => {
  const program = readProgram('docs/guide/move-from-prodigy.md')
  const spans = [
    { text: 'Ada works.', _input_hash: 11, spans: [{ start: 0, end: 3, label: 'PER' }], answer: 'accept' },
    { text: 'Ada works?', _input_hash: 12, spans: [{ start: 0, end: 3, label: 'PER' }], answer: 'reject' },
    { text: 'Nobody works.', _input_hash: 13, answer: 'accept' },
  ]
  expect(await runProgram(program, toLines(spans))).toBe('3 records\n')
  expect((await readRecords('from-prodigy')).map(({ responses }) => responses)).toMatchObject([
    SPANS,
    [{ status: 'discarded' }],
    [{ status: 'submitted', values: { labels: { value: [] } } }],
  ])

  const options = [{ id: 'billing' }, { id: 'delivery' }]
  const task = { text: 'My parcel is late.', _input_hash: 21, options, accept: ['delivery'], answer: 'accept' }
  await runProgram(withOtherQuestion(program), toLines([task]))
  const [record] = await readRecords('from-prodigy-labels')
  expect(record?.responses).toMatchObject([{ status: 'submitted', values: { labels: { value: ['delivery'] } } }])
})
