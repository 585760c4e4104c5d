/** The script for exports of doccano, run with the command of its guide. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { findMissing, type Moved, readArguments, readDataset, readUsernames, runScript, toLines } from './moved.ts'
import { findPython } from './python-runner.ts'

const SCRIPT = 'move-from-doccano.py'
const STRUCTURE = ['id']
const openFolder = openFolders()
let server: StartedServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

/** `files`: the examples in each file of the export. */
function prepare(files: Record<string, readonly unknown[]>): string {
  const folder = openFolder()
  for (const [name, examples] of Object.entries(files)) writeFileSync(join(folder, name), toLines(examples))
  return folder
}

const run = (files: Record<string, readonly unknown[]>, args: readonly string[]) =>
  runScript(server, SCRIPT, prepare(files), [...Object.keys(files), ...args])

const answersOf = (records: Record<string, Moved> | undefined) => Object.values(records ?? {}).map(({ answers }) => answers)

test('text classification: a file for each annotator, with metadata and comments', async () => {
  const lena = [
    {
      id: 11,
      text: 'The council votes on the stadium.',
      source: 'radio',
      page: 3,
      label: ['politics', 'sport'],
      Comments: ['Both?'],
    },
    { id: 12, text: 'The keeper stays.', source: 'paper', page: null, label: ['sport'], Comments: [] },
  ]
  const omar = [
    { ...lena[0], label: ['politics'], Comments: ['I say politics.'] },
    { ...lena[1], label: [] },
  ]
  const folder = prepare({ 'lena.jsonl': lena, 'omar.jsonl': omar })
  execFileSync(findPython(), ['-m', 'zipfile', '-c', 'export.zip', 'lena.jsonl', 'omar.jsonl'], { cwd: folder })

  const printed = await runScript(server, SCRIPT, folder, readArguments('docs/guide/move-from-doccano.md'))
  const dataset = await readDataset(server, 'from-doccano')
  expect(dataset?.records).toEqual({
    11: {
      fields: { text: 'The council votes on the stadium.' },
      metadata: { source: 'radio', page: 3 },
      answers: {
        lena: { status: 'submitted', label: ['politics', 'sport'] },
        omar: { status: 'submitted', label: ['politics'] },
      },
      suggestions: {},
      comments: ['lena: Both?', 'omar: I say politics.'],
    },
    12: {
      fields: { text: 'The keeper stays.' },
      metadata: { source: 'paper' },
      answers: { lena: { status: 'submitted', label: ['sport'] } },
      suggestions: {},
      comments: [],
    },
  })
  expect(dataset?.members).toEqual(expect.arrayContaining(['lena', 'omar']))
  expect(printed).toMatch(/new user lena, password \S{16}\n/)
  expect(printed).toContain('Everything was imported.')
})

describe('one file', () => {
  test('sequence labeling: spans that overlap, after a character of two units', async () => {
    const examples = [
      { id: 1, text: '🎈 Ines of Nordwind', label: [[2, 6, 'PER'], [2, 18, 'ROLE'], [10, 18, 'ORG']], Comments: ['Check the role.'] }, // biome-ignore format: one line
      { id: 2, text: 'Nobody here.', label: [], Comments: [] },
    ]
    const printed = await run({ 'admin.jsonl': examples }, ['--name', 'spans'])
    const dataset = await readDataset(server, 'spans')
    const label = [[2, 6, 'PER'], [2, 18, 'ROLE'], [10, 18, 'ORG']].map(([start, end, name]) => ({ start, end, label: name })) // biome-ignore format: one line
    expect(answersOf(dataset?.records)).toEqual([{ [server.username]: { status: 'submitted', label } }, {}])
    expect(dataset?.records[1]?.comments).toEqual(['Check the role.'])
    expect(findMissing(examples, { dataset, printed, structure: STRUCTURE })).toEqual([])
  })

  test('sequence labeling with relations: spans arrive, relations are counted', async () => {
    const entities = [
      { id: 71, label: 'PER', start_offset: 0, end_offset: 4 },
      { id: 72, label: 'ORG', start_offset: 8, end_offset: 16 },
    ]
    const relations = [{ id: 5, from_id: 71, to_id: 72, type: 'works for' }]
    const examples = [{ id: 1, text: 'Ines of Nordwind', entities, relations, Comments: [] }]
    const printed = await run({ 'admin.jsonl': examples }, ['--name', 'relations'])
    const dataset = await readDataset(server, 'relations')
    const spans = entities.map(one => ({ start: one.start_offset, end: one.end_offset, label: one.label }))
    expect(answersOf(dataset?.records)).toEqual([{ [server.username]: { status: 'submitted', entities: spans } }])
    expect(printed).toContain('Not imported:\n  1 × relations\n')
    expect(findMissing(examples, { dataset, printed, structure: STRUCTURE })).toEqual([])
  })

  test('sequence to sequence: each text arrives', async () => {
    const examples = [
      { id: 1, text: 'Guten Abend', label: ['Good evening', 'Good night'], Comments: ['Which one?'], register: 'formal' },
      { id: 2, text: 'Hallo', label: ['Hello'], Comments: [], register: 'plain' },
      { id: 3, text: 'Na', label: [], Comments: [], register: null },
    ]
    const printed = await run({ 'admin.jsonl': examples }, ['--name', 'texts', '--type', 'sequence-to-sequence'])
    const dataset = await readDataset(server, 'texts')
    expect(answersOf(dataset?.records)).toEqual([
      { [server.username]: { status: 'submitted', label: 'Good evening', label_2: 'Good night' } },
      { [server.username]: { status: 'submitted', label: 'Hello' } },
      {},
    ])
    expect(findMissing(examples, { dataset, printed, structure: STRUCTURE })).toEqual([])
  })

  test('intent detection and slot filling: intents and slots arrive', async () => {
    const examples = [
      { id: 1, text: 'Play jazz in the kitchen', cats: ['play'], entities: [[5, 9, 'genre'], [17, 24, 'room']], Comments: [] }, // biome-ignore format: one line
      { id: 2, text: 'Stop', cats: ['stop'], entities: [], Comments: ['Short.'] },
      { id: 3, text: 'Jazz!', cats: [], entities: [[0, 4, 'genre']], Comments: [] },
    ]
    const printed = await run({ 'admin.jsonl': examples }, ['--name', 'intents'])
    const dataset = await readDataset(server, 'intents')
    const [first, second, third] = answersOf(dataset?.records).map(answers => answers[server.username])
    const room = [{ start: 5, end: 9, label: 'genre' }, { start: 17, end: 24, label: 'room' }] // biome-ignore format: one line
    expect(first).toEqual({ status: 'submitted', cats: ['play'], entities: room })
    expect(second).toEqual({ status: 'submitted', cats: ['stop'], entities: [] })
    expect(third).toEqual({ status: 'submitted', entities: [{ start: 0, end: 4, label: 'genre' }] })
    expect(findMissing(examples, { dataset, printed, structure: STRUCTURE })).toEqual([])
  })
})

test.each([
  { what: 'labels that may be texts', examples: [{ id: 1, text: 'Hallo', label: ['Hello'] }], args: [], says: 'Add --type' },
  {
    what: 'the wrong type',
    examples: [{ id: 1, text: 'Hallo', label: [[0, 2, 'PER']] }],
    args: ['--type', 'text-classification'],
    says: 'The labels of example 1 are not those of a project of the type text-classification.',
  },
  { what: 'images', examples: [{ id: 1, filename: 'a.png', label: ['cat'] }], args: [], says: 'are not imported' },
  { what: 'an empty file', examples: [], args: ['--type', 'sequence-labeling'], says: 'There is no record in the file.' },
])('$what: nothing is created', async ({ examples, args, says }) => {
  const before = await readUsernames(server)
  await expect(run({ 'all.jsonl': examples }, ['--name', 'refused', ...args])).rejects.toThrow(says)
  expect(await readDataset(server, 'refused')).toBeNull()
  expect(await readUsernames(server)).toEqual(before)
})
