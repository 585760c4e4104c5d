/** `datasets export` while other users delete records. */
import { readFileSync } from 'node:fs'
import { createDatasetWithSettings, deleteRecordsInChunks, iterateRecords, writeRecords } from '@postil/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'
import { openProxy } from './proxy.ts'
import { openPersons } from './run.ts'

const RECORDS = 650
const newPerson = openPersons()
let on: Fixture
beforeAll(async () => {
  on = await openFixture(newPerson)
})
afterAll(() => on?.close())

test.each([
  ['a few before the place of the export', 3, (row: number) => row < 30],
  ['everything that was exported so far', 3, (row: number) => row < 220],
  ['nearly all', 6, (row: number) => row !== 40 && row !== 630],
  ['all', 4, () => true],
  ['some behind that place', 2, (row: number) => row > 400 && row % 2 === 0],
])('no other record is missed if somebody deletes %s', async (name, page, isDeleted) => {
  const { dataset } = await createDatasetWithSettings(on.client, {
    workspace: 'default',
    name,
    fields: [{ name: 'text', required: true, settings: { type: 'text' } }],
    questions: [{ name: 'comment', required: true, settings: { type: 'text' } }],
  })
  const texts = Array.from({ length: RECORDS }, (_, row) => `text ${row}`)
  await writeRecords(
    on.client,
    dataset.id,
    texts.map(text => ({ fields: { text } })),
  )
  const ids = (await Array.fromAsync(iterateRecords(on.client, dataset.id))).map(({ id }) => id)
  const deleted = ids.filter((_, row) => isDeleted(row))
  let pages = 0
  const proxy = await openProxy(on.server.url, async ({ path }) => {
    const chosen = path.includes('/records?') && ++pages === page ? deleted : []
    await deleteRecordsInChunks(on.client, dataset.id, chosen)
    return true
  })
  const person = newPerson()
  expect(await person.run(['login', '--api-url', proxy.url, '--api-key', on.server.apiKey])).toMatchObject({ code: 0 })
  expect(await person.run(['datasets', '--name', name, 'export', 'file.jsonl'])).toMatchObject({ code: 0 })
  proxy.close()

  const [, ...lines] = readFileSync(`${person.home}/file.jsonl`, 'utf8').trimEnd().split('\n')
  const found = lines.map(line => JSON.parse(line).fields.text)
  expect(new Set(found).size).toBe(found.length)
  expect(texts.filter((text, row) => !isDeleted(row) && !found.includes(text))).toEqual([])
})
