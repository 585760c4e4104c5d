/** Exports, from the dialog to the downloaded file. */
import { readFile } from 'node:fs/promises'
import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'admin' })

const question = label('mood', ['good', 'bad'])
const topic = {
  name: 'topic',
  title: 'Topic',
  settings: { type: 'terms' as const, values: null },
  visible_for_annotators: true,
}

const RECORDS = 25

/** Every fifth record has the topic money. */
async function letters(name: string): Promise<string> {
  const records = texts(RECORDS).map((record, index) => ({ ...record, metadata: { topic: index % 5 === 0 ? 'money' : 'other' } }))
  const id = await seed(world, { name, questions: [question], metadata: [topic], records })
  const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 2 } })
  for (const [index, record] of items.entries()) {
    const values = { mood: { value: index === 0 ? 'good' : 'bad' } }
    const body = { values, status: 'submitted' as const }
    await world.annotator.client.createResponse({ params: { record_id: record.id }, body })
  }
  return id
}

async function openExport(id: string, query = '') {
  await openDataset(page, id, query)
  await page.getByTestId('export').click()
  await page.getByTestId('export-form').waitFor()
}

const choose = (name: string, value: string) => page.getByTestId(`export-${name}`).selectOption(value)

/** Starts the export, waits for its file and downloads it. */
async function download(): Promise<{ name: string; bytes: Buffer }> {
  const before = await page.getByTestId('export-download').count()
  await page.getByTestId('export-start').click()
  await expect.poll(() => page.getByTestId('export-download').count()).toBe(before + 1)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-download').first().click()])
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

function toRows(bytes: Buffer): Record<string, string>[] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== ',') lines.push([])
  }
  const [head = [], ...rows] = lines.filter(line => line.length > 1 || line[0])
  return rows.map(row => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])))
}

test('everything as CSV, with the answers', async () => {
  const id = await letters('as csv')
  await openExport(id)
  expect(await page.getByTestId('exports-empty').innerText()).toBe('No exports yet.')
  const { name, bytes } = await download()
  expect(name).toMatch(/\.csv$/)
  const rows = toRows(bytes)
  expect(rows).toHaveLength(RECORDS)
  const column = Object.keys(rows[0] ?? {}).find(key => /^mood\b.*response/.test(key)) ?? ''
  expect(rows.map(row => row[column]).filter(value => /good|bad/.test(value ?? ''))).toHaveLength(2)
})

test('what the filter on the page finds, with chosen columns, as Parquet', async () => {
  const id = await letters('as parquet')
  await openExport(id, '?metadata=topic.money')
  await expect.poll(() => page.getByTestId('export-records').locator('option:checked').innerText()).toContain('(5)')
  await choose('format', 'parquet')
  await choose('responses', 'none')
  await choose('column-mode', 'some')
  const columns = page.getByTestId('export-columns')
  for (const box of await columns.getByRole('checkbox').all()) await box.uncheck()
  await columns.getByText('Select at least one column.').waitFor()
  expect(await page.getByTestId('export-start').isDisabled()).toBe(true)
  await columns.getByRole('checkbox', { name: 'text', exact: true }).check()
  const { name, bytes } = await download()
  expect(name).toMatch(/\.parquet$/)
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  expect(rows).toHaveLength(5)
  expect(Object.keys(rows[0] ?? {})).toEqual(['text'])
})

test('one row for each response of one person', async () => {
  const id = await letters('as rows')
  await openExport(id)
  await choose('responses', 'user')
  await choose('person', world.annotator.id)
  await choose('shape', 'long')
  const rows = toRows((await download()).bytes)
  expect(rows.filter(row => Object.values(row).includes(world.annotator.username))).toHaveLength(2)
})

test('exports are there when the dialog is opened again', async () => {
  const id = await letters('again')
  await openExport(id)
  await download()
  await page.keyboard.press('Escape')
  await page.getByTestId('export').click()
  await expect.poll(() => page.getByTestId('export-row').count()).toBe(1)
  expect(await page.getByTestId('export-row').innerText()).toMatch(/Available until/)
  // A format for span questions is not offered, because the server would reject it.
  expect(await page.getByTestId('export-format').locator('option').allInnerTexts()).not.toContain('CoNLL (spans)')
})
