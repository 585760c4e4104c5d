/** File imports: every format, rejected rows, and repeated, dry or canceled runs. */
import type { Import, ImportPage, Preview } from '@postil/domain/imports'
import type { Id } from '@postil/domain/schema'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Caller, openWorld, type World } from './http.ts'
import { aHubDataset, listRecords, QUESTIONS } from './hub-world.ts'
import { importFile, TEXT_MAPPING, untilImported, upload } from './import-world.ts'

let world: World
let admin: Caller
beforeAll(async () => {
  world = await openWorld()
  admin = world.memberAdmin
})
afterAll(() => world?.close())

const aDataset = (given = {}) => aHubDataset(world.owner, world.workspaceId, given)
const textsOf = async (id: Id) =>
  (await listRecords(world.owner, id)).map(({ external_id, fields }) => [external_id, fields.text])

const rowsOf = (counts: object) => ({ read: 0, created: 0, updated: 0, skipped: 0, rejected: 0, ...counts })

describe('a CSV file', () => {
  test('becomes records, with external ids from its name', async () => {
    const datasetId = await aDataset()
    const content = 'text,other\r\n"a, ""quoted"" text",1\r\n"two\r\nlines",\r\nplain,3\r\n'
    const imported = await importFile(admin, { datasetId, content })
    expect(imported).toMatchObject({
      dataset_id: datasetId,
      name: 'rows.csv',
      status: 'finished',
      dry_run: false,
      rows: rowsOf({ read: 3, created: 3 }),
      bytes: { done: content.length, total: content.length },
      errors: [],
      rejects_file: false,
      error: null,
    })
    expect(await textsOf(datasetId)).toEqual([
      ['rows.csv-1', 'a, "quoted" text'],
      ['rows.csv-2', 'two\r\nlines'],
      ['rows.csv-3', 'plain'],
    ])
  })

  test('can be imported again: its records are updated, or left alone', async () => {
    const datasetId = await aDataset()
    const body = { mapping: { ...TEXT_MAPPING, external_id: 'id' } }
    await importFile(admin, { datasetId, content: 'id,text\n1,one\n2,two\n', body })
    const again = await importFile(admin, { datasetId, content: 'id,text\n2,zwei\n3,drei\n3,trois\n', body })
    expect(again.rows).toEqual(rowsOf({ read: 3, created: 1, updated: 2 }))
    const skipping = { ...body, on_conflict: 'skip' }
    const left = await importFile(admin, { datasetId, content: 'id,text\n3,tres\n4,cuatro\n4,four\n1,uno\n', body: skipping })
    expect(left.rows).toEqual(rowsOf({ read: 4, created: 1, skipped: 3 }))
    expect(await textsOf(datasetId)).toEqual([
      ['1', 'one'],
      ['2', 'zwei'],
      ['3', 'trois'],
      ['4', 'cuatro'],
    ])
  })

  test('fills all parts of records', async () => {
    const datasetId = await aDataset({
      fields: [
        { name: 'text', type: 'text' },
        { name: 'talk', type: 'chat' },
      ],
      questions: [
        { name: 'label', settings: QUESTIONS.label },
        { name: 'labels', settings: QUESTIONS.labels },
        { name: 'rating', settings: QUESTIONS.rating },
      ],
      metadata: [
        { name: 'source', settings: { type: 'terms' } },
        { name: 'length', settings: { type: 'integer' } },
      ],
      vectors: [{ name: 'embed', dimensions: 2 }],
    })
    const content =
      'key;text;talk;label;score;by;labels;rating;who;source;length;vector\n' +
      `k1;hello;"[{""role"":""user"",""content"":""hi""}]";pos;0.5;model-1;a|c;3;${admin.username};web;5;"[1, 2.5]"\n`
    const mapping = {
      external_id: 'key',
      fields: ['text', 'talk'].map(name => ({ source: name, target: name })),
      metadata: ['source', 'length'].map(name => ({ source: name, target: name })),
      vectors: [{ source: 'vector', target: 'embed' }],
      suggestions: [
        { target: 'label', value: 'label', score: 'score', agent: 'by' },
        { target: 'labels', value: 'labels', agent_name: 'constant' },
      ],
      responses: [
        { target: 'label', value: 'label', user: 'who' },
        { target: 'rating', value: 'rating', user: 'who' },
        { target: 'label', value: 'label', status: 'draft' },
      ],
    }
    const imported = await importFile(admin, { datasetId, content, body: { mapping } })
    expect(imported).toMatchObject({ status: 'finished', errors: [] })
    const [record] = await listRecords(world.owner, datasetId)
    expect(record).toMatchObject({
      external_id: 'k1',
      fields: { text: 'hello', talk: [{ role: 'user', content: 'hi' }] },
      metadata: { source: 'web', length: 5 },
      vectors: { embed: [1, 2.5] },
    })
    expect(record?.suggestions?.map(({ value, score, agent }) => ({ value, score, agent }))).toEqual([
      { value: 'pos', score: 0.5, agent: 'model-1' },
      { value: ['a', 'c'], score: null, agent: 'constant' },
    ])
    // Both answers belong to the admin: one column names the admin, the other defaults to the importing user.
    expect(record?.responses).toMatchObject([
      { user_id: admin.id, status: 'submitted', values: { label: { value: 'pos' }, rating: { value: 3 } } },
    ])
  })
})

describe('rows that are rejected', () => {
  const content = [
    'key,text,rating,who',
    'a,fine,3,',
    'b,,3,',
    'c,bad rating,9,',
    'd,"=cmd()",x,',
    'e,too,many,values,here',
    'f,nobody,3,nobody at all',
    'g,"unclosed,3,',
    'h,"text" after,3,',
    'i,also fine,4,',
  ].join('\n')
  const mapping = {
    external_id: 'key',
    fields: [{ source: 'text', target: 'text' }],
    suggestions: [{ target: 'rating', value: 'rating' }],
    responses: [{ target: 'comment', value: 'text', user: 'who', status: 'draft' }],
  }
  const aRatedDataset = () =>
    aDataset({
      questions: [
        { name: 'rating', settings: QUESTIONS.rating },
        { name: 'comment', settings: QUESTIONS.comment },
      ],
    })
  const given = { ...mapping, responses: [] }

  test('are named with row, column, value and reason, and the others are stored', async () => {
    const datasetId = await aRatedDataset()
    const imported = await importFile(admin, { datasetId, content, body: { mapping: given } })
    expect(imported).toMatchObject({ status: 'finished', rejects_file: true })
    expect(imported.rows).toEqual(rowsOf({ read: 9, created: 3, rejected: 6 }))
    expect(imported.errors.map(({ row, column, value }) => ({ row, column, value }))).toEqual([
      { row: 2, column: 'text', value: null },
      { row: 3, column: 'rating', value: '9' },
      { row: 4, column: 'rating', value: 'x' },
      { row: 5, column: null, value: 'e,too,many,values,here' },
      { row: 7, column: null, value: expect.stringMatching(/^g,"unclosed,3,/) },
      { row: 8, column: null, value: expect.stringMatching(/^h,"text" after/) },
    ])
    expect((await textsOf(datasetId)).map(([id]) => id)).toEqual(['a', 'f', 'i'])
    const file = await admin.send<string>(`GET /imports/${imported.id}/rejects`)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(file.headers.get('content-disposition')).toContain('rows-rejected.csv')
    const lines = file.text.replace(/^\ufeff/, '').split('\r\n')
    expect(lines[0]).toBe('row,column,value,reason,key,text,rating,who')
    expect(lines[1]).toBe('2,text,,"Field `text` is required, and there is no value",b,,3,')
    // Marked, because it starts like a formula.
    expect(lines[3]).toContain("'\u2060=cmd()")
    expect(lines.filter(line => /^\d/.test(line)).map(line => Number(line.split(',')[0]))).toEqual([2, 3, 4, 5, 7, 8])
    // A byte range of the file.
    const part = await admin.send<string>(`GET /imports/${imported.id}/rejects`, undefined, { range: 'bytes=3-5' })
    expect(part).toMatchObject({ status: 206, text: 'row' })
  })

  test('have responses of people who may have none', async () => {
    const datasetId = await aRatedDataset()
    const named = `key,text,who\na,x,${world.memberAnnotator.username}\nb,x,${world.strangerAnnotator.username}\nc,x,nobody\nd,x,\n`
    const body = { mapping: { ...mapping, suggestions: [] } }
    const imported = await importFile(admin, { datasetId, content: named, body })
    expect(imported.errors.map(({ row, column, value }) => [row, column, value])).toEqual([
      [2, 'who', world.strangerAnnotator.username],
      [3, 'who', 'nobody'],
      [4, 'who', null],
    ])
    expect((await listRecords(world.owner, datasetId)).map(({ responses }) => responses?.map(({ user_id }) => user_id))).toEqual([
      [world.memberAnnotator.id],
    ])
  })

  test('are the same in a dry run, which stores nothing', async () => {
    const datasetId = await aRatedDataset()
    const dry = await importFile(admin, { datasetId, content, body: { mapping: given, dry_run: true } })
    expect(dry).toMatchObject({ status: 'finished', dry_run: true, rejects_file: true })
    expect(dry.rows).toEqual(rowsOf({ read: 9, created: 3, rejected: 6 }))
    expect(await textsOf(datasetId)).toEqual([])
  })

  test('end the import if there are as many as are allowed', async () => {
    const datasetId = await aRatedDataset()
    const body = { mapping: given, stop_after_rejects: 2 }
    const imported = await importFile(admin, { datasetId, content, body })
    expect(imported).toMatchObject({ status: 'failed', error: 'Stopped after 2 rejected rows' })
    expect(imported.rows).toEqual(rowsOf({ read: 3, created: 1, rejected: 2 }))
  })
})

describe('an import', () => {
  const aLongFile = (rows: number) => `text\n${Array.from({ length: rows }, (_, row) => `text ${row}`).join('\n')}\n`

  test('is listed, canceled, and leaves what it has stored', async () => {
    const datasetId = await aDataset()
    const upload_id = await upload(admin, 'long.csv', aLongFile(30_000))
    const body = { upload_id, mapping: TEXT_MAPPING }
    const { id } = await admin.done<Import>(`POST /datasets/${datasetId}/imports`, body)
    await vi.waitFor(async () => expect((await admin.done<Import>(`GET /imports/${id}`)).rows.created).toBeGreaterThan(0), {
      timeout: 60_000,
    })
    const canceled = await admin.done<Import>(`POST /imports/${id}/cancel`)
    expect(canceled).toMatchObject({ id, status: 'canceled', finished_at: expect.any(String) })
    expect(await admin.done(`POST /imports/${id}/cancel`)).toEqual(canceled)
    const { total } = await admin.done<{ total: number }>(`GET /datasets/${datasetId}/progress`)
    expect(total).toBe(canceled.rows.created)
    // Another import of the same file adds the remaining rows.
    const rest = await untilImported(admin, (await admin.done<Import>(`POST /datasets/${datasetId}/imports`, body)).id)
    expect(rest.rows).toEqual(rowsOf({ read: 30_000, created: 30_000 - canceled.rows.created, updated: canceled.rows.created }))
    const { items, next } = await admin.done<ImportPage>(`GET /datasets/${datasetId}/imports?limit=1`)
    expect(items.map(item => item.id)).toEqual([rest.id])
    const older = await admin.done<ImportPage>(`GET /datasets/${datasetId}/imports?limit=1&before=${next}`)
    expect(older).toMatchObject({ items: [{ id }], next: null })
    expect(await admin.send(`POST /imports/${rest.id}/cancel`)).toMatchObject({ status: 409 })
  })

  test('fails if its file is deleted, and says so', async () => {
    const datasetId = await aDataset()
    const upload_id = await upload(admin, 'long.csv', aLongFile(30_000))
    const { id } = await admin.done<Import>(`POST /datasets/${datasetId}/imports`, {
      upload_id,
      mapping: { ...TEXT_MAPPING, external_id: 'no' },
    })
    expect(await untilImported(admin, id)).toMatchObject({
      status: 'failed',
      error: 'The file has no column `no`. Columns: text',
      rows: rowsOf({}),
    })
    await admin.done(`DELETE /uploads/${upload_id}`)
    const gone = await admin.send(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING })
    expect(gone.status).toBe(404)
  })

  test('is refused if its mapping or its upload is not whole', async () => {
    const datasetId = await aDataset()
    const { id: upload_id } = await admin.done<{ id: Id }>('POST /uploads', { name: 'a.csv', size: 10 })
    const ask = (mapping: object) => admin.send(`POST /datasets/${datasetId}/imports`, { upload_id, mapping })
    expect(await ask(TEXT_MAPPING)).toMatchObject({ status: 409 })
    await admin.done(`PUT /uploads/${upload_id}/content?offset=0`, 'text\nabcd\n')
    for (const mapping of [
      { fields: [{ source: 'text', target: 'nothing' }] },
      { ...TEXT_MAPPING, vectors: [{ source: 'text', target: 'nothing' }] },
      { ...TEXT_MAPPING, suggestions: [{ value: 'text', target: 'nothing' }] },
      { ...TEXT_MAPPING, responses: [{ value: 'text', target: 'nothing' }] },
      { fields: [...TEXT_MAPPING.fields, ...TEXT_MAPPING.fields] },
    ]) {
      expect(await ask(mapping)).toMatchObject({ status: 422 })
    }
    // An upload of another user.
    const others = await world.owner.send(`POST /datasets/${datasetId}/imports`, { upload_id, mapping: TEXT_MAPPING })
    expect(others.status).toBe(404)
  })
})

describe('a preview', () => {
  test('tells columns, rows and what columns may be used for', async () => {
    const id = await upload(admin, 'rows.csv', 'id;text;label;n\n1;"hello\nthere";pos;1\n2;bye;neg;2\n3;broken\n4;again;pos;\n')
    const preview = await admin.done<Preview>(`POST /uploads/${id}/preview`, { rows: 2 })
    expect(preview.source).toEqual({ format: 'csv', encoding: 'utf-8', separator: ';', quote: '"', header: true })
    expect(preview.rows).toEqual([
      ['1', 'hello\nthere', 'pos', '1'],
      ['2', 'bye', 'neg', '2'],
    ])
    expect(preview.columns.map(({ name, type, suggestion, empty }) => ({ name, type, suggestion, empty }))).toEqual([
      { name: 'id', type: 'integer', suggestion: 'external_id', empty: 0 },
      { name: 'text', type: 'long_text', suggestion: 'field', empty: 0 },
      { name: 'label', type: 'text', suggestion: 'suggestion', empty: 0 },
      { name: 'n', type: 'integer', suggestion: 'metadata', empty: 1 },
    ])
    expect(preview.columns[2]?.distinct).toEqual(['pos', 'neg'])
    expect(preview).toMatchObject({ rows_estimate: 4, problems: [expect.stringContaining('Row 3')] })
  })
})
