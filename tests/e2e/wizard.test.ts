/** From a file to a dataset in a real browser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { closeSeat, sitAs } from './admin.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'
import { canBeSeen, isImportCreated, mapLetters, next, readRejects, roleOf, usePasted, writeLetters } from './wizard-pages.ts'

takeWorld()

const folder = mkdtempSync(join(tmpdir(), 'postil-wizard-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Blocks every part except the first until it is released, as a slow network would. */
async function holdPieces(page: Page): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route(/\/content\?offset=[1-9]/, async route => {
    await released
    // A request that the page has aborted meanwhile cannot be continued.
    await route.continue().catch(() => undefined)
  })
  return async () => {
    release()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

const stateOf = (page: Page) => page.getByTestId('upload').getAttribute('data-state')

test('a CSV file with bad rows: paused and resumed, mapped, checked, imported, rejects downloaded', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  const release = await holdPieces(page)
  await page.getByTestId('file').setInputFiles(writeLetters(folder, 'letters.csv'))
  await expect.poll(() => page.getByTestId('upload-state').innerText()).toContain('2.1 MB of')
  await page.getByTestId('pause').click()
  await expect.poll(() => stateOf(page)).toBe('paused')
  await release()
  await page.getByTestId('resume').click()
  await expect.poll(() => stateOf(page)).toBe('done')
  await expect.poll(() => page.getByTestId('read-as').innerText()).toContain('Read as CSV, 4 columns')
  await next(page)

  await mapLetters(page)
  await expect.poll(() => page.getByTestId('preview-field-text').innerText()).toContain('Letter 1.')
  await page.getByTestId('preview-next').click()
  await expect.poll(() => page.getByTestId('preview-field-text').innerText()).toContain('Letter 2.')
  await next(page)

  await page.getByTestId('labels-from').selectOption('topic')
  await page.getByTestId('template-classification').click()
  await expect.poll(() => page.getByTestId('wizard-preview').getByTestId('question-label').innerText()).toContain('repair')
  await next(page)
  expect(await page.getByTestId('dataset-name').inputValue()).toBe('letters')
  await next(page)

  await page.getByTestId('check').click()
  await page.getByTestId('check-result').waitFor()
  expect(await page.getByTestId('check-result').innerText()).toContain('9,975 rows can be imported.')
  expect(await page.getByTestId('check-result').innerText()).toContain('25 rows have problems')
  expect(await page.getByTestId('errors').locator('tbody tr').first().innerText()).toContain('400')
  // It stays a draft until it is imported.
  expect((await world.owner.listMyDatasets({ query: { name: 'letters' } })).items).toMatchObject([{ status: 'draft' }])

  await page.getByTestId('import').click()
  await page.getByTestId('import-result').waitFor()
  expect(await page.locator('[data-count=created]').innerText()).toBe('9,975 records created')
  expect(await readRejects(page)).toEqual(Array.from({ length: 25 }, (_, at) => (at + 1) * 400))

  await page.getByTestId('open-dataset').click()
  await expect.poll(() => page.getByTestId('field-text').innerText()).toContain('Letter ')
  expect(await page.evaluate(() => Object.keys(localStorage).filter(key => key.includes('wizard.run.')))).toEqual([])
  await closeSeat(seat)
})

test('a finished import is not listed as unfinished, also if it finished while the page was closed', async () => {
  const id = await seed(world, { name: 'finished imports', questions: [label('mood', ['good', 'bad'])], records: texts(1) })
  // The file is already deleted when the second part of the test deletes it.
  const seat = await sitAs(world.admin, { allow: [/404/] })
  const { page } = seat
  await page.goto(`dataset/${id}/import`)
  await usePasted(page, 'ref;text\n1;First\n')
  await next(page)
  await page.getByTestId('check').click()
  await page.getByTestId('check-result').waitFor()
  const [created] = await Promise.all([page.waitForResponse(isImportCreated), page.getByTestId('import').click()])
  const { id: importId, upload_id } = (await created.json()) as { id: string; upload_id: string }
  await page.getByTestId('import-result').waitFor()
  const stored = await page.evaluate(() => Object.entries(localStorage).find(([key]) => key.includes('wizard.run.')))
  await page.goto(`dataset/${id}/import`)
  await page.getByTestId('drop').waitFor()
  expect(await page.getByTestId('kept-run').count()).toBe(0)
  // The file was deleted on the server with the run.
  await expect.poll(async () => (await seat.context.request.get(`api/v1/uploads/${upload_id}`)).status()).toBe(404)

  // As the page would have left it if it had been closed before the import finished.
  const [key, text] = stored ?? ['', '']
  const run = JSON.stringify({ ...JSON.parse(text), isDone: false, importId })
  await page.evaluate(([name, value]) => localStorage.setItem(name, value), [key, run] as const)
  const [checked] = await Promise.all([page.waitForResponse(new RegExp(`/imports/${importId}$`)), page.reload()])
  expect(checked.status()).toBe(200)
  await expect.poll(() => page.evaluate(name => localStorage.getItem(name), key)).toBeNull()
  expect(await page.getByTestId('kept-run').count()).toBe(0)
  await closeSeat(seat)
})

test('an unfinished run is removed with its file and its dataset', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  const [uploaded] = await Promise.all([
    page.waitForResponse(response => response.url().endsWith('/api/v1/uploads') && response.request().method() === 'POST'),
    usePasted(page, 'ref;text\n1;First\n'),
  ])
  const { id: uploadId } = (await uploaded.json()) as { id: string }
  await roleOf(page, 'text').selectOption('field')
  await next(page)
  await page.getByTestId('template-classification').click()
  await next(page)
  await page.getByTestId('dataset-name').fill('given up')
  await next(page)
  await page.getByTestId('check').click()
  await page.getByTestId('check-result').waitFor()
  const listed = () => world.owner.listMyDatasets({ query: { name: 'given up' } })
  expect((await listed()).items).toMatchObject([{ status: 'draft' }])

  await page.goto('new')
  await page.getByTestId('remove-run').click()
  await page.getByTestId('remove-run-yes').click()
  await expect.poll(() => page.getByTestId('kept-run').count()).toBe(0)
  expect((await listed()).items).toEqual([])
  expect((await seat.context.request.get(`api/v1/uploads/${uploadId}`)).status()).toBe(404)
  expect(await page.evaluate(() => Object.keys(localStorage).filter(key => key.includes('wizard.run.')))).toEqual([])
  await closeSeat(seat)
})

test('a preference dataset opens with its replies side by side', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  await usePasted(page, 'prompt;reply_a;reply_b\nWhy?;Because of this.;Because of that.\n')
  for (const name of ['prompt', 'reply_a', 'reply_b']) await roleOf(page, name).selectOption('field')
  await next(page)
  await page.getByTestId('template-preference').click()
  await next(page)
  await page.getByTestId('dataset-name').fill('preferred')
  await next(page)
  await page.getByTestId('check').click()
  await page.getByTestId('import').click()
  await page.getByTestId('import-result').waitFor()
  await page.getByTestId('open-dataset').click()
  await page.getByTestId('field-reply_b').waitFor()
  const boxOf = (name: string) => page.getByTestId(`field-${name}`).boundingBox()
  const [a, b] = [await boxOf('reply_a'), await boxOf('reply_b')]
  expect(b?.y).toBe(a?.y)
  expect(b?.x).toBeGreaterThan((a?.x ?? 0) + 100)
  await closeSeat(seat)
})

test('the preview shows a whole chat', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  const turns = Array.from({ length: 12 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `Turn ${at}. ${'More words. '.repeat(20)}`,
  }))
  await usePasted(page, JSON.stringify([{ talk: turns }]))
  for (const turn of ['Turn 11.', 'Turn 0.']) await expect.poll(() => canBeSeen(page, turn)).toBe(true)
  await closeSeat(seat)
})

test('a reload in the middle of an upload continues where the server stands', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  const release = await holdPieces(page)
  const path = writeLetters(folder, 'reloaded.csv')
  await page.getByTestId('file').setInputFiles(path)
  await expect.poll(() => page.getByTestId('upload-state').innerText()).toContain('2.1 MB of')
  const sent: number[] = []
  page.on('request', request => {
    const offset = /\/content\?offset=(\d+)/.exec(request.url())?.[1]
    if (offset !== undefined) sent.push(Number(offset))
  })
  await page.reload()
  await page.getByTestId('same-file').waitFor({ state: 'attached' })
  // Not earlier: the page that was left would finish its upload before it goes.
  await release()
  const other = join(folder, 'other.csv')
  writeFileSync(other, 'a\n1\n')
  await page.getByTestId('same-file').setInputFiles(other)
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('This is a different file')
  await page.getByTestId('same-file').setInputFiles(path)
  await expect.poll(() => stateOf(page)).toBe('done')
  expect(Math.min(...sent)).toBeGreaterThan(0)
  await page.getByTestId('read-as').waitFor()

  // The plan is stored too, and a second tab starts its own run.
  await next(page)
  await roleOf(page, 'days').selectOption('ignore')
  await page.reload()
  await expect.poll(() => roleOf(page, 'days').inputValue()).toBe('ignore')
  await page.goto('new')
  await page.getByTestId('drop').waitFor()
  await page.getByTestId('continue-run').click()
  await expect.poll(() => roleOf(page, 'days').inputValue()).toBe('ignore')
  await page.getByTestId('start-over').click()
  await page.getByTestId('start-over-yes').click()
  await page.getByTestId('drop').waitFor()
  await closeSeat(seat)
})

test('records are added to a dataset by the same mapper, and a run says where it stopped', async () => {
  const id = await seed(world, { name: 'added to', questions: [label('mood', ['good', 'bad'])], records: texts(2) })
  const seat = await sitAs(world.admin, { allow: [/503/] })
  const { page } = seat
  await page.goto(`dataset/${id}/import`)
  await page.getByTestId('paste').click()
  await page.getByTestId('pasted').fill('ref;text;mood\n1;First of the new;good\n2;Second of the new;bad\n3;Third;neither\n')
  await page.getByTestId('use-pasted').click()
  await page.getByTestId('read-as').waitFor()
  await next(page)
  // Columns with the name of a field or question are mapped; the rest is ignored.
  expect(await roleOf(page, 'text').inputValue()).toBe('field')
  expect(await roleOf(page, 'mood').inputValue()).toBe('suggestion')
  await roleOf(page, 'ref').selectOption('external_id')
  await expect.poll(() => page.getByTestId('preview-field-text').innerText()).toContain('First of the new')
  await next(page)

  await page.route(/\/imports$/, route => route.fulfill({ status: 503, json: { detail: 'Busy' } }), { times: 1 })
  await page.getByTestId('check').click()
  await expect.poll(() => page.getByTestId('stopped').innerText()).toContain('Stopped while checking the rows.')
  await page.getByTestId('go-on').click()
  await page.getByTestId('check-result').waitFor()
  expect(await page.getByTestId('errors').innerText()).toContain('neither')
  await page.getByTestId('import').click()
  await page.getByTestId('import-result').waitFor()
  expect(await page.locator('[data-count=created]').innerText()).toBe('2 records created')
  expect((await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 10 } })).total).toBe(4)
  await closeSeat(seat)
})

test('a dataset without records: fields by hand, a template, a workspace', async () => {
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto('new')
  // Nothing is chosen, so the page shows what is missing.
  await next(page)
  await expect.poll(() => page.getByTestId('issues').innerText()).toContain('Choose a file')
  await page.getByTestId('empty').click()
  await page.getByTestId('add-field').click()
  await page.getByTestId('field-name').fill('letter')
  await next(page)
  await page.getByTestId('template-entities').click()
  await next(page)
  await page.getByTestId('dataset-name').fill('by hand')
  await page.getByTestId('guidelines').fill('# Read all of it')
  await next(page)
  await page.getByTestId('script').click()
  expect(await page.getByTestId('script-text').innerText()).toContain('rg.SpanQuestion(name="entities"')
  await page.getByTestId('create').click()
  await page.getByTestId('import-result').waitFor()
  const { items } = await world.owner.listMyDatasets({ query: { name: 'by hand', include: ['fields', 'questions'] } })
  expect(items).toMatchObject([
    {
      status: 'ready',
      guidelines: '# Read all of it',
      fields: [{ name: 'letter' }],
      questions: [{ settings: { field: 'letter' } }],
    },
  ])
  await page.getByTestId('open-dataset').click()
  await page.waitForURL(/annotation-mode/)
  await closeSeat(seat)
})

test('annotators get a plain answer instead of the wizard', async () => {
  const seat = await sitAs(world.annotator)
  await seat.page.goto('new')
  await expect.poll(() => seat.page.getByRole('heading', { level: 1 }).innerText()).toBe('Admins and owners only')
  await closeSeat(seat)
})
