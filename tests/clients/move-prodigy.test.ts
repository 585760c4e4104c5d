/** The script for exports of Prodigy, run with the command of its guide: five recipes, each with two sessions. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { findMissing, type MovedDataset, readArguments, readDataset, runScript, toLines } from './moved.ts'

/** Hashes and names that connect tasks; tokens repeat the text. */
const STRUCTURE = [
  '_input_hash',
  '_task_hash',
  '_view_id',
  '_annotator_id',
  '_session_id',
  '_is_binary',
  'answer',
  'tokens',
  'config',
]
const GUIDED = readArguments('docs/guide/move-from-prodigy.md')
const openFolder = openFolders()
let server: StartedServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

interface Ran {
  printed: string
  dataset: MovedDataset | null
  missing: string[]
}

async function run(name: string, tasks: readonly object[]): Promise<Ran> {
  const folder = openFolder()
  writeFileSync(join(folder, 'letters.jsonl'), toLines(tasks))
  const printed = await runScript(server, 'move-from-prodigy.py', folder, [...GUIDED, '--name', name])
  const dataset = await readDataset(server, name)
  return { printed, dataset, missing: findMissing(tasks, { dataset, printed, structure: STRUCTURE }) }
}

/** What every recipe adds to a task. */
const taskOf = (session: string, hash: number, rest: { text: string; answer?: string; [key: string]: unknown }) => ({
  answer: 'accept',
  _input_hash: hash,
  _task_hash: hash * 7,
  _timestamp: 1_770_000_000 + hash,
  _annotator_id: `letters-${session}`,
  _session_id: `letters-${session}`,
  ...rest,
})

const tokens = [{ text: 'Ines', start: 0, end: 4, id: 0, ws: true }]
const TEXT = 'Ines of Nordwind'
const INES = { start: 0, end: 4, label: 'PER' }
const NORDWIND = { start: 8, end: 16, label: 'ORG' }
const withTokens = (span: object) => ({ ...span, token_start: 0, token_end: 0 })

test('ner.manual: spans of two sessions, and the answers reject and ignore', async () => {
  const view = { tokens, _view_id: 'ner_manual', meta: { source: 'post', page: 4 } }
  const { dataset, printed, missing } = await run('ner', [
    taskOf('lena', 1, { ...view, text: TEXT, spans: [withTokens(INES), withTokens(NORDWIND)] }),
    taskOf('omar', 1, { ...view, text: TEXT, spans: [withTokens(INES)] }),
    taskOf('lena', 2, { ...view, text: 'Ines?', spans: [withTokens(INES)], answer: 'reject' }),
    taskOf('omar', 2, { ...view, text: 'Ines?', answer: 'ignore' }),
    taskOf('omar', 3, { ...view, text: 'Nobody.' }),
  ])
  expect(Object.values(dataset?.records ?? {})).toMatchObject([
    {
      fields: { text: TEXT },
      metadata: { source: 'post', page: 4 },
      answers: { lena: { status: 'submitted', spans: [INES, NORDWIND] }, omar: { status: 'submitted', spans: [INES] } },
    },
    { answers: { lena: { status: 'discarded', spans: [INES] }, omar: { status: 'discarded' } } },
    { answers: { omar: { status: 'submitted', spans: [] } } },
  ])
  expect(dataset?.members).toEqual(expect.arrayContaining(['lena', 'omar']))
  expect(printed).toContain('1 × difference between reject and ignore, which are both discarded: ignore, reject')
  expect(printed).toContain('5 × task: _timestamp')
  expect(missing).toEqual([])
})

test('spans.manual: spans overlap; a session without a name is the person who runs the script', async () => {
  const view = { tokens, _view_id: 'spans_manual' }
  const both = { start: 0, end: 16, label: 'ROLE' }
  const unnamed = { _annotator_id: '2026-03-01_10-11-12', _session_id: '2026-03-01_10-11-12' }
  const { dataset, missing } = await run('spans', [
    taskOf('lena', 1, { ...view, text: TEXT, spans: [withTokens(INES), withTokens(both)] }),
    taskOf('', 1, { ...view, ...unnamed, text: TEXT, spans: [withTokens(NORDWIND)] }),
  ])
  expect(dataset?.records[1]?.answers).toEqual({
    lena: { status: 'submitted', spans: [INES, both] },
    [server.username]: { status: 'submitted', spans: [NORDWIND] },
  })
  expect(missing).toEqual([])
})

const options = [
  { id: 'BILL', text: 'Bill' },
  { id: 'DELIVERY', text: 'Delivery' },
  { id: 'OTHER', text: 'Something else' },
]

test('textcat.manual: several choices, with options that nobody chose', async () => {
  const view = { options, _view_id: 'choice', config: { choice_style: 'multiple' } }
  const { dataset, missing } = await run('choices', [
    taskOf('lena', 1, { ...view, text: 'My parcel is late.', accept: ['DELIVERY'] }),
    taskOf('omar', 1, { ...view, text: 'My parcel is late.', accept: ['DELIVERY', 'BILL'] }),
    taskOf('omar', 2, { ...view, text: 'Hm.', accept: [], answer: 'ignore' }),
  ])
  expect(Object.values(dataset?.records ?? {})).toMatchObject([
    { answers: { lena: { accept: ['DELIVERY'] }, omar: { accept: ['DELIVERY', 'BILL'] } } },
    { answers: { omar: { status: 'discarded' } } },
  ])
  const question = dataset?.settings.find(({ name }) => name === 'accept')
  expect(question?.settings).toMatchObject({
    type: 'multi_label_selection',
    options: expect.arrayContaining(options.map(({ id, text }) => expect.objectContaining({ value: id, text }))),
  })
  expect(missing).toEqual([])
})

test('textcat.teach: accept and reject are the answer to a label', async () => {
  const view = { _view_id: 'classification', _is_binary: true, meta: { score: 0.61 } }
  const { dataset, missing } = await run('binary', [
    taskOf('lena', 1, { ...view, text: 'My parcel is late.', label: 'DELIVERY' }),
    taskOf('omar', 1, { ...view, text: 'My parcel is late.', label: 'DELIVERY', answer: 'reject' }),
    taskOf('lena', 1, { ...view, text: 'My parcel is late.', label: 'BILL', answer: 'reject' }),
    taskOf('omar', 1, { ...view, text: 'My parcel is late.', label: 'BILL', answer: 'ignore' }),
  ])
  expect(dataset?.records).toMatchObject({
    '1-DELIVERY': {
      fields: { text: 'My parcel is late.', label: 'DELIVERY' },
      metadata: { score: 0.61 },
      answers: { lena: { status: 'submitted', answer: 'accept' }, omar: { status: 'submitted', answer: 'reject' } },
    },
    '1-BILL': { answers: { lena: { status: 'submitted', answer: 'reject' }, omar: { status: 'discarded' } } },
  })
  expect(missing).toEqual([])
})

test('rel.manual: spans arrive, relations and details of the head are counted', async () => {
  const relations = [{ head: 0, child: 2, label: 'WORKS_FOR', color: '#c5bdf4', head_span: INES, child_span: NORDWIND }]
  const view = { tokens, _view_id: 'relations', relations }
  const { dataset, printed, missing } = await run('relations', [
    taskOf('lena', 1, { ...view, text: TEXT, spans: [withTokens(INES), withTokens(NORDWIND)] }),
    taskOf('omar', 1, { ...view, text: TEXT, spans: [withTokens(INES)] }),
  ])
  expect(dataset?.records[1]?.answers).toMatchObject({ lena: { spans: [INES, NORDWIND] }, omar: { spans: [INES] } })
  expect(printed).toContain('2 × task: _timestamp, relations')
  expect(missing).toEqual([])
})

test('one dataset of several recipes: the answers of a person to a text are one response', async () => {
  const { dataset, printed, missing } = await run('mixed', [
    taskOf('lena', 1, { text: TEXT, tokens, _view_id: 'ner_manual', spans: [withTokens(INES)] }),
    taskOf('lena', 1, { text: TEXT, options, accept: ['OTHER'], _view_id: 'choice', config: { choice_style: 'single' } }),
    taskOf('lena', 1, { text: TEXT, options, accept: ['BILL'], _view_id: 'choice', config: { choice_style: 'single' } }),
    taskOf('lena', 2, { text: 'Bring it.', user_input: 'Bring the parcel, please.', _view_id: 'text_input' }),
  ])
  expect(dataset?.records[1]?.answers).toMatchObject({ lena: { spans: [INES], accept: 'BILL' } })
  expect(dataset?.records[2]?.answers).toMatchObject({ lena: { user_input: 'Bring the parcel, please.' } })
  expect(printed).toContain('1 × earlier values of a person who answered the same question again')
  expect(missing).toEqual([])
})

test('images become a field; their spans and tasks without a text or image are counted', async () => {
  const image = 'data:image/png;base64,iVBORw0KGgo='
  const view = { options, _view_id: 'choice', config: { choice_style: 'single' } }
  const { dataset, printed } = await run('images', [
    { ...taskOf('lena', 1, { ...view, text: 'A parcel', accept: ['DELIVERY'] }), image },
    { ...taskOf('lena', 2, { ...view, text: 'A bill', accept: ['BILL'] }), image, spans: [{ points: [[1, 2]], label: 'STAMP' }] },
    { ...taskOf('lena', 3, { text: '' }), text: undefined, audio: 'call.mp3' },
  ])
  expect(dataset?.settings.find(({ name }) => name === 'image')?.settings.type).toBe('image')
  expect(dataset?.records).toMatchObject({ 1: { fields: { image } }, 2: { answers: { lena: { accept: 'BILL' } } } })
  expect(printed).toContain('  1 × spans that are not of a text\n')
  expect(printed).toContain('  1 × tasks without text, image, html\n')
})

test('a path of an image at the other server becomes a text', async () => {
  const view = { options, _view_id: 'choice', config: { choice_style: 'single' } }
  const { dataset } = await run('paths', [
    { ...taskOf('lena', 1, { ...view, text: 'A', accept: ['BILL'] }), image: '/images/a.png' },
  ])
  expect(dataset?.settings.find(({ name }) => name === 'image')?.settings.type).toBe('text')
  expect(dataset?.records[1]?.fields.image).toBe('/images/a.png')
})
