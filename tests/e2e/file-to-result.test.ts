/** From a file to a finished result without programming: the first day of an admin, then an annotator. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findPython } from '../clients/python-runner.ts'
import { closeSeat, sitAsOwner } from './admin.ts'
import { currentRecord, expectSaved, openDataset } from './annotation-page.ts'
import { type Seat, takeSeat } from './browser.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { PASSWORD, readSecret } from './people-pages.ts'
import { isBad, LETTERS, letterOf, mapLetters, next, readRejects, TOPICS, writeLetters } from './wizard-pages.ts'

takeWorld(OWN_SERVER)

const folder = mkdtempSync(join(tmpdir(), 'postil-whole-way-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Without Python, the file is downloaded but not read. */
const HAS_PYTHON = !(process.env.POSTIL_TEST_LEFT_OUT ?? '').split(',').includes('python-sdk')
const GUEST = 'greta'
const GOOD = Array.from({ length: LETTERS }, (_, at) => at + 1).filter(row => !isBad(row))

/** Creates a dataset, and a link that invites an annotator to its workspace. */
async function makeDataset(page: Page): Promise<{ datasetId: string; link: string }> {
  await page.goto('new')
  await page.getByTestId('file').setInputFiles(writeLetters(folder, 'letters.csv'))
  await page.getByTestId('read-as').waitFor()
  await next(page)
  await mapLetters(page)
  await next(page)
  await page.getByTestId('labels-from').selectOption('topic')
  await page.getByTestId('template-classification').click()
  await next(page)
  await page.getByTestId('dataset-name').fill('the whole way')
  await page.getByTestId('invite').click()
  await page.getByTestId('user-save').click()
  await page.getByTestId('secret-value').waitFor()
  const link = await readSecret(page)
  await next(page)
  await page.getByTestId('check').click()
  await expect.poll(() => page.getByTestId('check-result').innerText()).toContain('25 rows have problems')
  await page.getByTestId('import').click()
  await expect.poll(() => page.locator('[data-count=created]').innerText()).toBe('9,975 records created')
  expect(await readRejects(page)).toEqual(Array.from({ length: 25 }, (_, at) => (at + 1) * 400))
  await page.getByTestId('open-dataset').click()
  await page.waitForURL(/annotation-mode/)
  return { datasetId: /dataset\/([^/]+)\//.exec(page.url())?.[1] ?? '', link }
}

async function accept(link: string): Promise<Seat> {
  const guest = await takeSeat(world.server.url, { allow: [/401/] })
  await guest.page.goto(link)
  await guest.page.getByTestId('accept-username').fill(GUEST)
  await guest.page.getByTestId('accept-first-name').fill('Greta')
  await guest.page.getByTestId('accept-password').fill(PASSWORD)
  await guest.page.getByTestId('accept').click()
  await guest.page.getByTestId('account').waitFor()
  return guest
}

/** Chooses the first label of three records, which submits because there is only one question. */
async function answer(page: Page, datasetId: string): Promise<void> {
  await openDataset(page, datasetId)
  for (let i = 0; i < 3; i++) {
    const before = await currentRecord(page).innerText()
    await page.keyboard.press('1')
    await expect.poll(() => currentRecord(page).innerText()).not.toBe(before)
  }
  await expectSaved(page)
}

interface ReadRow {
  id: string
  text: string
  'metadata.days': number
  'label.suggestion': string
  'label.responses': string[] | null
}

/** Reads the file with pyarrow. */
function readParquet(path: string): ReadRow[] {
  const program = [
    'import json, sys, pyarrow.parquet as pq',
    'columns = ["id", "text", "metadata.days", "label.suggestion", "label.responses"]',
    'print(json.dumps(pq.read_table(sys.argv[1]).select(columns).to_pylist()))',
  ].join('\n')
  const output = execFileSync(findPython(), ['-c', program, path], { encoding: 'utf8', maxBuffer: 64_000_000 })
  return JSON.parse(output)
}

async function exportParquet(page: Page, datasetId: string): Promise<string> {
  await openDataset(page, datasetId)
  await page.getByTestId('export').click()
  await page.getByTestId('export-format').selectOption('parquet')
  await page.getByTestId('export-start').click()
  await page.getByTestId('export-download').waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-download').click()])
  return file.path()
}

test('a file becomes a dataset, an invited annotator answers, the lead watches and takes the result out', async () => {
  const seat = await sitAsOwner()
  const { page } = seat
  const { datasetId, link } = await makeDataset(page)
  const guest = await accept(link)
  await answer(guest.page, datasetId)
  await closeSeat(guest)

  await page.goto(`dataset/${datasetId}/overview`)
  await expect.poll(() => page.getByTestId('completed').innerText()).toBe('3 of 9,975')
  expect(await page.locator(`[data-testid=person][data-username=${GUEST}]`).innerText()).toContain('3')

  const path = await exportParquet(page, datasetId)
  if (HAS_PYTHON) expectLetters(readParquet(path))
  await closeSeat(seat)
}, 300_000)

function expectLetters(rows: readonly ReadRow[]): void {
  expect(rows.map(({ id }) => id)).toEqual(GOOD.map(row => `L${row}`))
  expect(rows.map(({ text }) => text)).toEqual(GOOD.map(letterOf))
  expect(rows.map(row => row['metadata.days'])).toEqual(GOOD.map(row => (row - 1) % 50))
  expect(rows.map(row => row['label.suggestion'])).toEqual(GOOD.map(row => TOPICS[(row - 1) % 3]))
  expect(rows.flatMap(row => row['label.responses'] ?? [])).toHaveLength(3)
}
