/** One answer for many records, some of which have their own spans, marked manually on their cards. */
import { expect, test } from 'vitest'
import { listRecords, storedResponse } from './annotation-page.ts'
import { expectCounts, openBulkView, selectedText } from './bulk-view.ts'
import { option, page, press, question, takeDesk, world } from './desk.ts'
import { span } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator', each: 'emptied', allow: [/ERR_FAILED/] })

const JOBS = /\/responses\/by-filter$/
const MARK = [{ start: 0, end: 6, label: 'person' }]
const seedMarks = (name: string, count: number) =>
  seed(world, { name, questions: [label('sentiment', ['good', 'bad'], false), span('names', ['person'])], records: texts(count) })

/** Marks the first word of a card. */
async function mark(at: number) {
  const field = page.getByTestId('record').nth(at).getByTestId('field-text')
  const box = await field.evaluate(element => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    let text = walker.nextNode()
    while (text && !text.textContent?.startsWith('Record')) text = walker.nextNode()
    if (!text) throw new Error('No text on the card')
    const range = document.createRange()
    range.setStart(text, 0)
    range.setEnd(text, 6)
    const { x, y, width, height } = range.getBoundingClientRect()
    return { left: x + 2, right: x + width - 2, y: y + height / 2 }
  })
  await page.mouse.move(box.left, box.y)
  await page.mouse.down()
  await page.mouse.move(box.right, box.y, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => field.getByTestId('span').count()).toBe(1)
}

/** Selects all matching records, answers `good`, marks the first cards, and says that there is nothing to mark in the others. */
async function prepare(id: string, marked: number) {
  await openBulkView(id)
  await option('sentiment', 'good').click()
  await option('names', 'person').click()
  for (let at = 0; at < marked; at++) await mark(at)
  const records = await listRecords(world.owner, id)
  if (records.length > marked) await question('names').getByTestId('nothing-to-mark').click()
  // Disarms the label and leaves the text, so that the page's keys are active again.
  await press('Escape', 'Escape', 'Escape')
  await page.getByTestId('select-all').click()
  if ((await page.getByTestId('select-all-matching').count()) > 0) await page.getByTestId('select-all-matching').click()
  else await press('Control+a')
  await expect.poll(selectedText).toContain('All')
}
async function submitAll(isAsked: boolean) {
  await page.getByTestId('submit').click()
  if (isAsked) await page.getByTestId('confirm-bulk').click()
}
const answer = { status: 'submitted', values: { sentiment: 'good', names: MARK } }
/** Another tab takes over the writes of a closed tab, which may take some seconds. */
const isStored = (id: string, at: number) => expect.poll(() => storedResponse(world, id, at)).toEqual(answer)

test('they are stored when the page is closed before the job for the others has begun', async () => {
  const id = await seedMarks('closed page', 12)
  await prepare(id, 2)
  const asked = Promise.withResolvers<void>()
  // The request never gets a response.
  await page.route(JOBS, () => asked.resolve())
  await submitAll(true)
  await asked.promise
  const context = page.context()
  await page.close()
  const next = await context.newPage()
  await next.goto('')
  await isStored(id, 0)
  await isStored(id, 1)
})

test('they are stored when there are no others', async () => {
  const id = await seedMarks('only marked', 2)
  await prepare(id, 2)
  await submitAll(false)
  await expectCounts(id, 0, 0, 0, 2)
  await isStored(id, 0)
  await isStored(id, 1)
  await page.getByTestId('undo').click()
  await expectCounts(id, 2, 0, 0, 0)
})

test('they count with the others, and one undo takes back both', async () => {
  const id = await seedMarks('both', 12)
  await prepare(id, 2)
  await submitAll(true)
  await expectCounts(id, 0, 0, 0, 12)
  await isStored(id, 0)
  const [, , other] = await listRecords(world.owner, id)
  expect(other?.responses?.[0]?.values).toEqual({ sentiment: { value: 'good' }, names: { value: [] } })
  await expect.poll(() => page.locator('.undo').innerText()).toContain('12 submitted')
  await page.getByTestId('undo').click()
  await expectCounts(id, 12, 0, 0, 0)
  await press('Control+Shift+z')
  await expectCounts(id, 0, 0, 0, 12)
})

test('an undo while the job for the others still begins takes back both', async () => {
  const id = await seedMarks('early undo', 12)
  await prepare(id, 2)
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(JOBS, async route => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  await submitAll(true)
  await asked.promise
  await expectCounts(id, 10, 0, 0, 2)
  await press('Control+z')
  await expectCounts(id, 12, 0, 0, 0)
  const undone = page.waitForResponse(/bulk-jobs\/[^/]+\/undo$/)
  released.resolve()
  await undone
  await expectCounts(id, 12, 0, 0, 0)
  expect(await page.getByTestId('undo').count()).toBe(0)
})

test('they are stored when the job for the others cannot be begun, which is said; the others stay selected', async () => {
  const id = await seedMarks('no job', 12)
  await prepare(id, 2)
  await page.route(JOBS, route => route.abort())
  await submitAll(true)
  await isStored(id, 0)
  await isStored(id, 1)
  const alert = page.locator('[data-pane=form]').getByRole('alert')
  await expect.poll(() => alert.innerText()).toContain('10 records were not saved')
  await expect.poll(selectedText).toBe('All 10 selected')
  await expect.poll(() => page.locator('.undo').innerText()).toContain('2 submitted')
  await page.getByTestId('undo').click()
  await expectCounts(id, 12, 0, 0, 0)
})

/** Selects all records that are most similar to one; the rest of the list is not loaded until the test releases it. */
async function prepareNearest(name: string) {
  const records = texts(30).map((record, i) => ({ ...record, vectors: { meaning: [Math.cos(i / 30), Math.sin(i / 30)] } }))
  const vectors = [{ name: 'meaning', title: 'Meaning', dimensions: 2 }]
  const id = await seed(world, { name, questions: [label('sentiment', ['good', 'bad'])], vectors, records })
  const [first] = await listRecords(world.owner, id)
  await openBulkView(id, `?page=1~10&similarity=record.${first?.id}.vector.meaning.limit.20.order.most`)
  await page.getByTestId('select-all').click()
  await page.getByTestId('select-all-matching').click()
  await option('sentiment', 'good').click()
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(/records\/search\?/, async route => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  await page.getByTestId('submit').click()
  await asked.promise
  return { id, total: await page.getByTestId('total').innerText(), release: () => released.resolve() }
}

test('a second press while the rest of the list is read does not answer twice', async () => {
  const { id, total, release } = await prepareNearest('pressed twice')
  const nearest = Number(total)
  await page.getByTestId('submit').click()
  await press('Enter')
  release()
  await expectCounts(id, 30 - nearest, 0, 0, nearest)
  await page.getByTestId('undo').click()
  await expectCounts(id, 30, 0, 0, 0)
})

test('what was selected gets the answer that was given, when the list is left while the rest of it is read', async () => {
  const { id, total, release } = await prepareNearest('changed meanwhile')
  const nearest = Number(total)
  await option('sentiment', 'bad').click()
  await page.getByTestId('bulk-toggle').click()
  await expect.poll(() => page.getByTestId('select-all').count()).toBe(0)
  release()
  await expectCounts(id, 30 - nearest, 0, 0, nearest)
  const stored = (await listRecords(world.owner, id)).flatMap(({ responses }) => responses?.[0]?.values.sentiment?.value ?? [])
  expect(stored).toEqual(Array.from({ length: nearest }, () => 'good'))
})
