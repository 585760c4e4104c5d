/** `datasets export` and `datasets import`. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createDatasetWithSettings, iterateRecords, writeRecords } from '@postil/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'
import { failed, openPersons } from './run.ts'

const RECORDS = 250
const newPerson = openPersons()
let on: Fixture
let file: string
beforeAll(async () => {
  on = await openFixture(newPerson)
  file = `${on.owner.home}/rich.jsonl`
  await on.client.createWorkspace({ body: { name: 'team' } })
  await fill()
})
afterAll(() => on?.close())

const owner = (...args: string[]) => on.owner.run(['datasets', ...args])
const ownerAlone = (...args: string[]) => on.owner.run(['datasets', ...args], { isAlone: true })

/** Creates every kind of setting, and suggestions, vectors and responses of two people for some records. */
async function fill(): Promise<void> {
  const options = ['good', 'bad'].map(value => ({ value, text: value }))
  const { dataset, questions } = await createDatasetWithSettings(on.client, {
    workspace: 'default',
    name: 'rich',
    guidelines: 'Read *twice*.',
    distribution: { strategy: 'overlap', min_submitted: 2 },
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [
      { name: 'mood', required: true, settings: { type: 'label_selection', options } },
      { name: 'why', settings: { type: 'text' }, description: 'In a word' },
    ],
    metadata_properties: [{ name: 'lang', settings: { type: 'terms' } }],
    vectors_settings: [{ name: 'v', dimensions: 2 }],
  })
  const people = (await on.client.listUsers()).items.filter(({ username }) => ['ann', 'adam'].includes(username))
  const records = Array.from({ length: RECORDS }, (_, row) => ({
    external_id: row % 2 === 0 ? `row-${row}` : null,
    fields: { text: `text ${row} "quoted"\nsecond line` },
    metadata: { lang: row % 3 === 0 ? 'de' : 'en', extra: row },
    ...(row < 20 && {
      vectors: { v: [row, 0.5] },
      suggestions: [{ question_id: questions[0]?.id ?? '', value: 'good', agent: 'model', score: 0.25 }],
      responses: people.map(({ id }) => ({ user_id: id, status: 'submitted' as const, values: { mood: { value: 'bad' } } })),
    }),
  }))
  await writeRecords(on.client, dataset.id, records)
}

/** Returns the parts of a dataset that must be the same after the import. */
async function read(client: Fixture['client'], name: string, workspace: string) {
  const items = (
    await client.listMyDatasets({ query: { name, include: ['fields', 'questions', 'metadata_properties', 'vectors_settings'] } })
  ).items
  const workspaces = (await client.listMyWorkspaces()).items
  const dataset = items.find(({ workspace_id }) => workspaces.find(({ id }) => id === workspace_id)?.name === workspace)
  const users = new Map((await client.listUsers()).items.map(({ id, username }) => [id, username]))
  const records = []
  for await (const { status, fields, metadata, external_id, vectors, suggestions = [], responses = [] } of iterateRecords(
    client,
    dataset?.id ?? '',
    { include: ['responses', 'suggestions', 'vectors'] },
  )) {
    records.push({
      ...{ status, fields, metadata, external_id, vectors },
      suggestions: suggestions.map(({ value, agent, score }) => ({ value, agent, score })),
      responses: responses.map(one => ({ user: users.get(one.user_id), status: one.status, values: one.values })),
    })
  }
  const named = (list: { name: string; title: string; settings?: unknown }[] = []) =>
    list.map(({ name, title, settings }) => ({ name, title, settings }))
  return {
    guidelines: dataset?.guidelines,
    distribution: dataset?.distribution,
    settings: [dataset?.fields, dataset?.questions, dataset?.metadata_properties, dataset?.vectors_settings].map(named),
    records,
  }
}

test('a dataset goes to a file and from there to another workspace, with everything', async () => {
  const exported = await ownerAlone('--name', 'rich', 'export', file)
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining(`${RECORDS} records`) })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBe(RECORDS + 1)
  expect(readdirSync(on.owner.home).filter(name => name.includes('unfinished'))).toEqual([])

  const imported = await ownerAlone('import', file, '--workspace', 'team', '--json')
  expect(imported.json()).toEqual({ name: 'rich', workspace: 'team', records: RECORDS })
  const before = await read(on.client, 'rich', 'default')
  expect(before.records.length).toBe(RECORDS)
  expect(before.records[0]?.responses.length).toBe(2)
  expect(await read(on.client, 'rich', 'team')).toEqual(before)
})

test('a file is replaced only if told so, and a place that cannot be written is named', async () => {
  const path = `${on.owner.home}/kept.jsonl`
  writeFileSync(path, 'mine')
  expect(await owner('--name', 'rich', '--workspace', 'default', 'export', path)).toMatchObject(failed('Export error', '--force'))
  expect(readFileSync(path, 'utf8')).toBe('mine')
  expect(await owner('--name', 'rich', '--workspace', 'default', 'export', path, '--force')).toMatchObject({ code: 0 })
  const nowhere = `${on.owner.home}/none/x.jsonl`
  expect(await owner('--name', 'rich', '--workspace', 'default', 'export', nowhere)).toMatchObject(
    failed('Export error', 'cannot be written'),
  )
  expect(await owner('--name', 'none', 'export', nowhere)).toMatchObject(failed('Dataset not found'))
  expect(await owner('export', nowhere)).toMatchObject({ code: 2, stderr: expect.stringContaining('--name') })
  expect(await on.annotator.run(['datasets', '--name', 'rich', 'export', nowhere])).toMatchObject(
    failed('Not enough permissions'),
  )
})

test('an import that fails leaves nothing behind, and names the line', async () => {
  const path = `${on.owner.home}/broken.jsonl`
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const run = (text: string, ...more: string[]) => {
    writeFileSync(path, text)
    return owner('import', path, '--workspace', 'default', '--name', 'copy', ...more)
  }
  expect(await run([...lines, '{"fields": '].join('\n'))).toMatchObject(failed('Import error', `Line ${RECORDS + 2}`))
  expect(await run([...lines, '{"fields": {"text": 7}}'].join('\n'))).toMatchObject(
    failed('Import error', `items.${RECORDS}`, 'Nothing was imported'),
  )
  expect(await run('{"some": "json"}\n')).toMatchObject(failed('Import error', 'is not a file that'))
  expect(await run('')).toMatchObject(failed('Import error', 'Line 1'))
  expect(await run(lines.join('\n').replace('"postil_dataset":1', '"postil_dataset":2'))).toMatchObject(
    failed('Import error', 'newer release'),
  )
  const stranger = lines.join('\n').replaceAll('"user":"ann"', '"user":"anna"')
  expect(await run(stranger)).toMatchObject(failed('Import error', 'Line 2', 'anna', '--without-responses'))
  expect((await owner('list', '--workspace', 'default', '--json')).json().map(({ name }: { name: string }) => name)).toEqual([
    'rich',
  ])
  expect(await run(stranger, '--without-responses')).toMatchObject({ code: 0 })
  expect(await run(lines.join('\n'))).toMatchObject(failed('Dataset already exists', '--name'))
  expect(await owner('import', `${path}.none`)).toMatchObject(failed('Import error', 'cannot be read'))
  expect(await owner('import', file)).toMatchObject(failed('Workspace not found', '--workspace'))
  expect(existsSync(`${path}.none`)).toBe(false)
})

test('an admin exports and imports in their own workspace', async () => {
  const path = `${on.admin.home}/mine.jsonl`
  expect(await on.admin.run(['datasets', '--name', 'rich', 'export', path])).toMatchObject({ code: 0 })
  const args = ['datasets', 'import', path, '--name', 'by-adam', '--workspace', 'default']
  expect(await on.admin.run(args)).toMatchObject({ code: 0 })
})
