/** The script for exports of Label Studio, run with the command of its guide. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFolders } from '../postil.ts'
import { type StartedServer, startServer } from '../server.ts'
import { findMissing, readArguments, readDataset, readUsernames, runScript } from './moved.ts'
import { call } from './webhook-events.ts'

const EXPORTS = fileURLToPath(new URL('exports/', import.meta.url))
const openFolder = openFolders()
let server: StartedServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const toItem = (from_name: string, type: string, value: object) => ({ from_name, to_name: 'text', type, value })

const span = (start: number, end: number, label: string) => ({ start, end, label })

const SCRIPT = 'move-from-label-studio.py'
const GUIDED = readArguments('docs/guide/move-from-label-studio.md')
const tasks = JSON.parse(readFileSync(join(EXPORTS, 'label-studio.json'), 'utf8'))

function prepare(exported: unknown = tasks): string {
  const folder = openFolder()
  writeFileSync(join(folder, 'export.json'), JSON.stringify(exported))
  writeFileSync(join(folder, 'labeling.xml'), readFileSync(join(EXPORTS, 'label-studio.xml')))
  return folder
}

test('all answers, people and predictions arrive, and the rest is listed', async () => {
  const printed = await runScript(server, SCRIPT, prepare(), GUIDED)
  const dataset = await readDataset(server, 'from-label-studio')
  const [first, second] = tasks.map((task: { data: { text: string } }) => task.data.text)
  const entities = [span(2, 6, 'PER')]
  expect(dataset?.records).toMatchObject({
    41: {
      fields: { text: first },
      metadata: { channel: 'letter', words: 9, batch: 'spring' },
      answers: {
        lena: {
          status: 'submitted',
          sentiment: 'Negative',
          topics: ['Delivery', 'Price'],
          urgency: 3,
          reply: 'It comes on Monday.',
          reply_2: 'We are sorry.',
          entities: [...entities, span(10, 18, 'ORG')],
        },
        omar: { status: 'submitted', urgency: 1, entities },
      },
      suggestions: {
        sentiment: { value: 'Negative', score: 0.75, agent: 'model-2' },
        entities: { value: entities, score: [0.66], agent: 'model-2' },
      },
    },
    42: {
      fields: { text: second },
      answers: { lena: { status: 'submitted', sentiment: 'Positive', urgency: 1 }, omar: { status: 'discarded' } },
    },
    43: { metadata: { channel: 'chat', words: 4 }, answers: {} },
  })
  expect(dataset?.members).toEqual(expect.arrayContaining(['lena', 'omar']))
  expect(
    dataset?.settings
      .find(({ name }) => name === 'sentiment')
      ?.settings.options?.map(({ value }) => value)
      .sort(),
  ).toEqual(['Negative', 'Positive', 'Unclear'])

  const structure = ['id', 'from_id', 'to_id', 'to_name', 'type', 'origin', 'direction', 'completed_by']
  expect(findMissing(tasks, { dataset, printed, structure })).toEqual([
    // The text of a span is a part of the field.
    '0.annotations.1.result.4.value.text: Ines',
    '0.annotations.1.result.5.value.text: Nordwind',
    '0.annotations.1.result.6.value.text: Nordwind',
    '0.annotations.1.result.6.value.choices.0: sure',
    '0.annotations.1.result.6.from_name: certainty',
    '0.annotations.1.result.7.labels.0: works for',
    '0.annotations.1.result.8.from_name: place',
    '0.annotations.2.result.0.value.text: Ines',
    '0.predictions.0.model_version: draft model (v1)',
    '0.predictions.0.score: 0.9',
    '0.predictions.1.result.1.value.text: Ines',
  ])
  for (const line of [
    '1 × annotation: choices of a region, relation, taxonomy',
    '1 × drafts',
    '1 × earlier or discarded answers of a person who has another answer to the record',
    '1 × earlier predictions for the same question',
    '1 × score of a prediction whose spans have their own',
  ]) {
    expect(printed).toContain(`  ${line}\n`)
  }
})

test('without the labeling configuration, questions and fields come from the file', async () => {
  const args = ['export.json', '--name', 'without-config', '--user', '1=lena', '--user', 'omar@example.org=omar']
  await runScript(server, SCRIPT, prepare(), args)
  const dataset = await readDataset(server, 'without-config')
  const guided = await readDataset(server, 'from-label-studio')
  expect(dataset?.records[41]?.answers).toEqual(guided?.records[41]?.answers)
  expect(dataset?.records[41]).toMatchObject({ fields: { channel: 'letter' }, metadata: { words: 9 } })
})

test('an annotation without an answer that is required becomes a draft, and the file is imported', async () => {
  const exported = ['red', 'blue', null].map((color, at) => ({
    id: at,
    data: { text: `Letter ${at}` },
    annotations: [{ id: at, completed_by: 1, result: color === null ? [] : [toItem('kind', 'choices', { choices: [color] })] }],
  }))
  const printed = await runScript(server, SCRIPT, prepare(exported), [
    'export.json',
    '--name',
    'a-draft',
    '--user',
    `1=${server.username}`,
  ])
  const dataset = await readDataset(server, 'a-draft')
  expect(Object.values(dataset?.records ?? {}).map(({ answers }) => answers[server.username])).toEqual([
    { status: 'submitted', kind: 'red' },
    { status: 'submitted', kind: 'blue' },
    { status: 'draft' },
  ])
  expect(printed).toContain('1 × status of submitted answers without `kind`, which became drafts')
})

test.each([
  { what: 'people without a user', exported: tasks, args: [], says: 'These people have no user: 1, omar@example.org.' },
  {
    what: 'another format',
    exported: [{ id: 1, text: 'Letter', sentiment: 'Positive' }],
    args: ['--create-users'],
    says: 'JSON-MIN and CSV are not read.',
  },
  {
    what: 'a question with one label',
    exported: [{ ...tasks[1], drafts: [] }],
    args: ['--create-users'],
    says: 'Question `sentiment` needs 2 labels. In this file: Positive. Add others: --labels sentiment=…',
  },
  { what: 'a task twice', exported: [tasks[2], tasks[2]], args: [], says: 'Task 43 appears twice.' },
  { what: 'a name that is taken', exported: tasks, args: ['--name', 'from-label-studio'], says: 'There is a dataset' },
])('$what: nothing is created', async ({ exported, args, says }) => {
  const before = await readUsernames(server)
  const failed = runScript(server, SCRIPT, prepare(exported), ['export.json', '--name', 'refused', ...args])
  await expect(failed).rejects.toThrow(says)
  expect(await readDataset(server, 'refused')).toBeNull()
  expect(await readUsernames(server)).toEqual(before)
})

test('a dry run creates nothing', async () => {
  const printed = await runScript(server, SCRIPT, prepare(), [...GUIDED, '--name', 'dry', '--user', '1=maya', '--dry-run'])
  expect(printed).toContain('Would import 3 records')
  expect(printed).toContain('the user maya would be created')
  expect(await readDataset(server, 'dry')).toBeNull()
  expect([...(await readUsernames(server)).values()]).not.toContain('maya')
})

test('if the server refuses a record, the dataset, the new users and the new members are removed again', async () => {
  const nina = await call(server, 'POST', '/users', { username: 'nina', first_name: 'Nina', password: 'a long password' })
  const [workspace] = (await call(server, 'GET', '/me/workspaces')).items
  const readMembers = async () => (await call(server, 'GET', `/workspaces/${workspace.id}/users`)).items
  const before = { users: await readUsernames(server), members: await readMembers() }
  // One answer may have 10,000 spans.
  const text = 'x'.repeat(10_001)
  const result = Array.from(text, (_, start) => toItem('entities', 'labels', { start, end: start + 1, labels: ['PER'] }))
  const annotations = ['maya', nina.username].map(completed_by => ({ completed_by, result }))
  const folder = prepare([{ id: 1, data: { text }, annotations }])
  const failed = runScript(server, SCRIPT, folder, ['export.json', '--name', 'undone', '--create-users'])
  await expect(failed).rejects.toThrow('The import failed. What it had created is deleted again.')
  expect(await readDataset(server, 'undone')).toBeNull()
  expect({ users: await readUsernames(server), members: await readMembers() }).toEqual(before)
})

test('several controls for one text, several texts, and a field with the name of a question', async () => {
  const texts = { text: 'Ines buys a lamp.', kind: 'letter', thread: [{ author: 'Ines', text: 'A lamp?' }] }
  const annotations = [
    {
      completed_by: server.username,
      result: [
        toItem('kind', 'choices', { choices: ['order'] }),
        toItem('reply', 'textarea', { text: ['Yes.'] }),
        toItem('reply', 'textarea', { text: ['Soon.'] }),
        toItem('people', 'labels', { start: 0, end: 4, text: 'Ines', labels: ['PER', 'CUSTOMER'] }),
        toItem('roles', 'labels', { start: 0, end: 4, text: 'Ines', labels: ['buyer'] }),
        toItem('format', 'labels', { start: 0, end: 6, text: 'letter', labels: ['paper'] }),
      ],
    },
  ]
  const lamp = { start: 12, end: 16, text: 'lamp', labels: ['THING'] }
  const predictions = [{ model_version: 'model (2)', result: [{ ...toItem('people', 'labels', lamp), score: 0 }] }]
  const folder = prepare([
    { id: 1, data: { ...texts, words: 4 }, annotations, predictions, meta: { text: 'a name that is taken', words: 'many' } },
  ])
  await runScript(server, SCRIPT, folder, ['export.json', '--name', 'names', '--labels', 'kind=question'])
  const dataset = await readDataset(server, 'names')
  expect(dataset?.records[1]).toEqual({
    fields: { ...texts, thread: JSON.stringify(texts.thread).replaceAll(/([:,])"/g, '$1 "') },
    metadata: { text_: 'a name that is taken', words: 4, 'meta.words': 'many' },
    answers: {
      [server.username]: {
        status: 'submitted',
        kind_: 'order',
        reply: 'Yes.',
        reply_2: 'Soon.',
        people: [span(0, 4, 'PER'), span(0, 4, 'CUSTOMER'), span(0, 4, 'roles: buyer')],
        format: [span(0, 6, 'paper')],
      },
    },
    suggestions: { people: { value: [span(12, 16, 'THING')], score: [0], agent: 'model -2-' } },
    comments: [],
  })
})

describe('an admin', () => {
  const answer = (completed_by: string) => ({ completed_by, result: [toItem('reply', 'textarea', { text: ['Yes.'] })] })
  const folderOf = (...people: string[]) => prepare([{ id: 1, data: { text: 'Open today?' }, annotations: people.map(answer) }])
  let asAdmin: StartedServer

  beforeAll(async () => {
    const user = { first_name: 'Ada', password: 'a long password', workspaces: ['default'] }
    await call(server, 'POST', '/users', { ...user, username: 'member' })
    const { api_key } = await call(server, 'POST', '/users', { ...user, username: 'admin', role: 'admin' })
    asAdmin = { ...server, apiKey: api_key }
  })

  test('imports answers of members', async () => {
    await runScript(asAdmin, SCRIPT, folderOf('member', 'admin'), ['export.json', '--name', 'of-an-admin'])
    const dataset = await readDataset(server, 'of-an-admin')
    expect(Object.keys(dataset?.records[1]?.answers ?? {}).sort()).toEqual(['admin', 'member'])
  })

  test('cannot create users', async () => {
    const failed = runScript(asAdmin, SCRIPT, folderOf('member', 'otto'), ['export.json', '--name', 'refused', '--create-users'])
    await expect(failed).rejects.toThrow('These people have no user: otto. Create them by an owner, as members of the workspace')
    expect(await readDataset(server, 'refused')).toBeNull()
  })
})

test('two people with one user and one record: nothing is created', async () => {
  const annotations = [1, 2].map(completed_by => ({ completed_by, result: [toItem('reply', 'textarea', { text: ['Yes.'] })] }))
  const args = ['export.json', '--name', 'refused', '--user', `1=${server.username}`, '--user', `2=${server.username}`]
  const failed = runScript(server, SCRIPT, prepare([{ id: 8, data: { text: 'Open today?' }, annotations }]), args)
  await expect(failed).rejects.toThrow(
    `Record 8 has answers of several people who are all mapped to the user ${server.username}.`,
  )
  expect(await readDataset(server, 'refused')).toBeNull()
})
