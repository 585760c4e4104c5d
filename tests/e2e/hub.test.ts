/** Pushing to a hub and importing from one, in a real browser, with a hub on loopback. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { type Columns, toParquet } from '../contract/hub-world.ts'
import { openHub } from '../hub/server.ts'
import { openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

const TOKEN = 'hf_token_of_the_team'
const hub = await openHub({ accounts: { [TOKEN]: { name: 'ann', organizations: ['team'] } } })
afterAll(() => hub.close())

takeDesk({
  as: 'admin',
  allow: [/422 \(Unprocessable/, /409 \(Conflict/],
  env: { SERVICE_HUB_URL: hub.url, SERVICE_ACCESS_LOG: 'true' },
})

const question = label('mood', ['good', 'bad'])

async function openPush(datasetId: string) {
  await openDataset(page, datasetId)
  await page.getByTestId('export').click()
  await page.getByTestId('export-tab-hub').click()
}

async function push(name: string, token: string) {
  await page.getByTestId('push-name').fill(name)
  await page.getByTestId('push-token').fill(token)
  await page.getByTestId('push').click()
}

const pushState = () => page.getByTestId('push-state').getAttribute('data-status')

/** Everything that the browser stores: local and session storage, databases, caches and cookies. */
const readStorage = (at: Page) =>
  at.evaluate(async () => {
    const read = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const kept: unknown[] = [{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state]
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await read(indexedDB.open(name))
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store)
        kept.push(await read(all.getAll()), await read(all.getAllKeys()))
      }
      database.close()
    }
    for (const name of await caches.keys()) kept.push((await (await caches.open(name)).keys()).map(({ url }) => url))
    return JSON.stringify(kept)
  })

const filesWith = (folder: string, text: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => readFileSync(path).includes(text))

test('a dataset is pushed, the dialog leads to it, and the token is nowhere afterwards', async () => {
  const id = await seed(world, { name: 'pushed', questions: [question], records: texts(30) })
  await openPush(id)
  await push('team/pushed', TOKEN)
  // Cleared when the request is sent, not when the response arrives.
  expect(await page.getByTestId('push-token').inputValue()).toBe('')
  await expect.poll(pushState).toBe('finished')
  expect(await page.getByTestId('push-link').getAttribute('href')).toBe(`${hub.url}/datasets/team/pushed`)
  expect(hub.isPrivate('team/pushed')).toBe(true)
  expect(Object.keys(hub.files('team/pushed'))).toContain('data/train-00000-of-00001.parquet')
  expect(hub.requests.some(({ token }) => token === TOKEN)).toBe(true)

  expect(await page.content()).not.toContain(TOKEN)
  expect(await readStorage(page)).not.toContain(TOKEN)
  expect(world.server.output()).not.toContain(TOKEN)
  expect(world.server.output()).toContain('/export')
  expect(filesWith(world.server.home, TOKEN)).toEqual([])
})

test('a push goes on without the dialog, which shows it when it is opened again', async () => {
  const id = await seed(world, { name: 'closed', questions: [question], records: texts(5) })
  const gate = Promise.withResolvers<void>()
  hub.fail({ path: /team\/closed/, until: gate.promise })
  await openPush(id)
  await push('team/closed', TOKEN)
  await page.getByTestId('push-state').waitFor()
  await page.keyboard.press('Escape')
  await page.getByTestId('export').click()
  await page.getByTestId('export-tab-hub').click()
  expect(['queued', 'started']).toContain(await pushState())
  expect(await page.getByTestId('push').isDisabled()).toBe(true)
  gate.resolve()
  await expect.poll(pushState).toBe('finished')
})

test.each([
  { what: 'a name that is not one', name: 'no name', token: TOKEN, words: /A repository is named/ },
  { what: 'a name without an owner', name: 'data', token: TOKEN, words: /named `owner\/name`/ },
])('says at once what is wrong with $what', async ({ name, token, words }) => {
  const id = await seed(world, { name: `refused ${name}`, questions: [question], records: texts(1) })
  await openPush(id)
  await push(name, token)
  await page.getByRole('alert').filter({ hasText: words }).waitFor()
  expect(await page.getByTestId('push-token').inputValue()).toBe('')
})

test('says what the hub has against it', async () => {
  const id = await seed(world, { name: 'not theirs', questions: [question], records: texts(1) })
  await openPush(id)
  await push('team/refused', 'hf_wrong')
  await expect.poll(pushState).toBe('failed')
  await page.getByRole('alert').filter({ hasText: 'it does not know the token' }).waitFor()
  expect(hub.hasRepository('team/refused')).toBe(false)
  expect(world.server.output()).not.toContain('hf_wrong')
})

const TRAIN = 'data/train-00000-of-00001.parquet'

/** Letters with a class label. The last one lacks the text, which is required. */
function putLetters(name: string, count = 30) {
  const texts = Array.from({ length: count }, (_, row) =>
    row === count - 1 ? null : `Letter ${row} ${'about money '.repeat(10)}`,
  )
  const columnData: Columns['columnData'] = [
    { name: 'id', data: texts.map((_, row) => `k-${row}`), type: 'STRING' },
    { name: 'body', data: texts, type: 'STRING' },
    { name: 'mood', data: texts.map((_, row) => row % 2), type: 'INT32' },
    { name: 'secret', data: texts.map(() => 'not imported'), type: 'STRING' },
  ]
  const features = { mood: { _type: 'ClassLabel', names: ['bad', 'good'] } }
  hub.put(name, { [TRAIN]: toParquet({ columnData, features }), 'data/test.parquet': toParquet({ columnData, features }) })
}

const role = (column: string) => page.locator(`[data-column="${column}"]`).getByTestId('role')

test('a dataset on the hub becomes one here, with labels and suggestions of its classes; skipped rows are named', async () => {
  putLetters('team/letters')
  await page.goto('new/team/letters')
  await page.getByTestId('source-rows').getByText('Letter 1').first().waitFor()
  expect(await page.getByTestId('hub-rows').innerText()).toBe('All 30 rows will be imported.')
  expect(await role('id').inputValue()).toBe('external_id')
  expect(await role('body').inputValue()).toBe('field')
  expect(await role('mood').inputValue()).toBe('suggestion')
  // Roles that hub imports do not support are not offered.
  expect(await role('body').locator('option').allInnerTexts()).not.toContain('Response')
  await role('secret').selectOption('ignore')
  await page.locator('[data-column="body"]').getByRole('checkbox').check()
  await page.getByTestId('wizard-preview').getByText('Letter 0').waitFor()
  await page.getByTestId('wizard-preview').getByText('good').first().waitFor()
  await page.getByTestId('dataset-name').fill('letters from the hub')
  await page.getByTestId('import-start').click()
  await expect.poll(() => page.getByTestId('import-state').getAttribute('data-status')).toBe('finished')
  expect(await page.getByTestId('import-state').innerText()).toContain('29 rows were imported.')
  expect(await page.getByTestId('skipped').innerText()).toMatch(/1 row was skipped[\s\S]*Row 29: /)
  await page.getByTestId('open-dataset').click()
  await page.getByTestId('submit').waitFor()
  await page.getByText('Letter 0').first().waitFor()
  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 2, include: ['suggestions'] } })
  expect(items.map(({ external_id, suggestions }) => [external_id, suggestions?.[0]?.value])).toEqual([
    ['k-0', 'bad'],
    ['k-1', 'good'],
  ])
})

test('links of Argilla lead to the same page, and a split can be chosen', async () => {
  putLetters('team/linked')
  await page.goto('team%2Flinked')
  await page.getByTestId('source-rows').waitFor()
  await page.getByTestId('dataset-name').fill('kept')
  await page.getByTestId('hub-split').selectOption('test')
  await expect.poll(() => new URL(page.url()).search).toContain('split=test')
  expect(await page.getByTestId('hub-repository').inputValue()).toBe('team/linked')
  // The columns are the same, so the user's input is kept.
  await expect.poll(() => page.getByTestId('dataset-name').inputValue()).toBe('kept')
})

test('a repository that cannot be read says why, and another can be opened', async () => {
  hub.put('team/texts', { 'a.txt': 'x' })
  putLetters('team/other')
  await page.goto('new/team/texts')
  await page.getByTestId('hub-problem').getByText('has no Parquet files').waitFor()
  await page.getByTestId('hub-repository').fill('team/other')
  await page.keyboard.press('Enter')
  await page.getByTestId('source-rows').waitFor()
})

test('a name that is taken is told, and the import goes on with another', async () => {
  await seed(world, { name: 'taken', questions: [question], records: texts(1) })
  putLetters('team/taken', 3)
  await page.goto('new/team/taken')
  await page.getByTestId('source-rows').waitFor()
  await page.getByTestId('import-start').click()
  await page.getByTestId('import-problem').getByText('taken').waitFor()
  await page.getByTestId('dataset-name').fill('not taken')
  await page.getByTestId('import-start').click()
  await expect.poll(() => page.getByTestId('import-state').getAttribute('data-status')).toBe('finished')
})
