/** Imports of files in all formats, and files that cannot be read. */
import type { Import, Preview } from '@postil/domain/imports'
import { dataPage, levels, run, TEXT, toFile } from '@postil/server/features/imports/testing/parquet-bytes'
import { toExcel } from '@postil/server/features/imports/testing/tables'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, openWorld, type World } from './http.ts'
import { aHubDataset, listRecords, toParquet } from './hub-world.ts'
import { importFile, TEXT_MAPPING, untilImported, upload } from './import-world.ts'

let world: World
let admin: Caller
beforeAll(async () => {
  world = await openWorld()
  admin = world.memberAdmin
})
afterAll(() => world?.close())

/** A file of about 150 bytes whose nulls would fill the memory. */
const manyNulls = (rows: number) => {
  const page = dataPage(levels(run(2 ** 31 - 1, 0)), { values: rows })
  return toFile({ schema: [{ ...TEXT, repetition: 1 }], rows, pages: [page] })
}

const aDataset = (given = {}) => aHubDataset(world.owner, world.workspaceId, given)

describe('a file of another format', () => {
  const CONTENT = [
    { id: 'a', text: 'first', n: 1 },
    { id: 'b', text: null, n: 2 },
    { id: 'c', text: 'third', n: null },
  ]
  const mapping = {
    external_id: 'id',
    fields: [{ source: 'text', target: 'text' }],
    metadata: [{ source: 'n', target: 'n' }],
  }
  const column = (name: 'id' | 'text', type: 'STRING') => ({ name, data: CONTENT.map(row => row[name]), type, nullable: true })
  const numbers = { name: 'n', data: CONTENT.map(({ n }) => n), type: 'INT32' as const, nullable: true }
  const cell = (value: string | number | null) =>
    value === null ? '<c/>' : typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="str"><v>${value}</v></c>`
  const sheet = [['id', 'text', 'n'], ...CONTENT.map(({ id, text, n }) => [id, text, n])]
    .map(cells => `<row>${cells.map(cell).join('')}</row>`)
    .join('')

  test.each([
    { name: 'rows.jsonl', content: CONTENT.map(row => JSON.stringify(row)).join('\n') },
    { name: 'rows.json', content: JSON.stringify({ rows: CONTENT }) },
    { name: 'rows.tsv', content: 'id\ttext\tn\na\tfirst\t1\nb\t\t2\nc\tthird\t\n' },
    { name: 'rows.parquet', content: toParquet({ columnData: [column('id', 'STRING'), column('text', 'STRING'), numbers] }) },
    { name: 'rows.xlsx', content: toExcel(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`) },
  ])('$name gives the same records', async ({ name, content }) => {
    const datasetId = await aDataset({ metadata: [{ name: 'n', settings: { type: 'integer' } }] })
    const upload_id = await upload(admin, name, content)
    const preview = await admin.done<Preview>(`POST /uploads/${upload_id}/preview`, {})
    expect(preview.columns.map(({ name: column, type, empty }) => [column, type, empty])).toEqual([
      ['id', 'text', 0],
      ['text', 'text', 1],
      ['n', 'integer', 1],
    ])
    const { id } = await admin.done<Import>(`POST /datasets/${datasetId}/imports`, { upload_id, source: preview.source, mapping })
    const imported = await untilImported(admin, id)
    expect(imported).toMatchObject({ status: 'finished', rows: { read: 3, created: 2, rejected: 1 } })
    expect(imported.errors).toMatchObject([{ row: 2, column: 'text', value: null }])
    expect((await listRecords(world.owner, datasetId)).map(({ external_id, metadata }) => [external_id, metadata])).toEqual([
      ['a', { n: 1 }],
      ['c', {}],
    ])
    await admin.done(`DELETE /uploads/${upload_id}`)
  })

  test.each([
    { name: 'rows.parquet', content: Buffer.from('PAR1 and nothing else PAR1') },
    { name: 'nulls.parquet', content: manyNulls(2 ** 31 - 1) },
    { name: 'run.parquet', content: manyNulls(1) },
    { name: 'rows.xlsx', content: Buffer.from('PK\x03\x04 and nothing else') },
    { name: 'rows.json', content: '{"a": 1}' },
    { name: 'rows.csv', content: `${'a,'.repeat(5_000)}\n` },
  ])('$name that cannot be read is refused, with the reason', async ({ name, content }) => {
    const datasetId = await aDataset()
    const upload_id = await upload(admin, name, content)
    const preview = await admin.send<{ detail: string }>(`POST /uploads/${upload_id}/preview`, {})
    expect(preview).toMatchObject({ status: 422, body: { detail: expect.any(String) } })
    const { id } = await admin.done<Import>(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING })
    expect(await untilImported(admin, id)).toMatchObject({ status: 'failed', error: preview.body.detail, rows: { read: 0 } })
    await admin.done(`DELETE /uploads/${upload_id}`)
  })
})

test('the reason of a failed import is in the job and not in the log, because it may quote a row', async () => {
  const datasetId = await aDataset()
  const secret = 'Jo owes 40'
  const files = {
    'no-end.csv': `"${secret}`,
    'no-end.json': `[{"text": "${secret}`,
    'no-row.jsonl': `{"text": "${secret}" 5}`,
    'too-long.json': `[{"text": "${secret}${'x'.repeat(17 * 1024 ** 2)}"}]`,
  }
  const errors: string[] = []
  for (const [name, content] of Object.entries(files)) {
    const { status, error } = await importFile(admin, { datasetId, name, content })
    expect(status, name).toBe('failed')
    errors.push(error ?? '')
  }
  expect(errors.join()).toContain(secret)
  expect(world.server.output()).toContain('job given up')
  expect(world.server.output()).not.toContain(secret)
})
