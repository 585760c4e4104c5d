/** Leads read the answers of one person, one record after the other; nobody else does. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { closeSeat, sitAs } from './admin.ts'
import { listRecords } from './annotation-page.ts'
import { takeWorld, world } from './desk.ts'
import { rating, span, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'
import { listTooWide, listViolations } from './visible.ts'

takeWorld()

const ANSWER = {
  mood: { value: 'good' },
  stars: { value: 4 },
  note: { value: 'Because of the tone.' },
  words: { value: [{ label: 'person', start: 0, end: 6 }] },
}

/** Six records, of which Anna has submitted the first, third and fourth, the third in two versions, and discarded the second. */
async function seedAnswers(name: string): Promise<{ id: string; recordIds: string[] }> {
  const questions = [
    label('mood', ['good', 'bad']),
    rating('stars', [1, 2, 3, 4, 5]),
    text('note'),
    span('words', ['person', 'place']),
  ]
  const id = await seed(world, { name, questions, records: texts(6), minSubmitted: 3 })
  const recordIds = (await listRecords(world.owner, id)).map(record => record.id)
  const { client } = world.annotator
  const answer = (at: number, body: { status: 'submitted' | 'discarded'; values: object }) =>
    client.createResponse({ params: { record_id: recordIds[at] ?? '' }, body: body as { status: 'submitted' } })
  await answer(0, { status: 'submitted', values: ANSWER })
  await answer(1, { status: 'discarded', values: {} })
  const { id: response_id } = await answer(2, { status: 'submitted', values: { ...ANSWER, mood: { value: 'bad' } } })
  await client.updateResponse({
    params: { response_id },
    body: { status: 'submitted', values: { ...ANSWER, note: { value: 'Changed.' } } },
  })
  await answer(3, { status: 'submitted', values: ANSWER })
  return { id, recordIds }
}

const position = (page: Page) => page.getByTestId('answer-position')
const recordText = (page: Page) => page.getByTestId('record').innerText()
const chosen = (page: Page, question: string) =>
  page.getByTestId(`question-${question}`).locator('[data-testid=option][aria-checked=true]').getAttribute('data-value')
const addressOf = (id: string, query: string) => `dataset/${id}/overview/answers/${world.annotator.id}?${query}`

test('a lead reads an answer from the overview, steps through the others, and comes back', async () => {
  const { id, recordIds } = await seedAnswers('Read')
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto(`dataset/${id}/overview`)
  await page.locator(`[data-testid=person][data-username=${world.annotator.username}]`).getByTestId('behind').first().click()
  await page.getByTestId('record-behind').first().click()
  await expect.poll(() => position(page).innerText()).toBe('1 of 3')
  await expect.poll(() => page.getByTestId('answer-of').innerText()).toContain('Answer of ')
  await expect.poll(() => page.getByTestId('answer-status').innerText()).toBe('Submitted')
  await expect.poll(() => recordText(page)).toContain('Record number 0')
  await expect.poll(() => chosen(page, 'mood')).toBe('good')
  await expect.poll(() => chosen(page, 'stars')).toBe('4')
  await expect.poll(() => page.getByTestId('text-input').inputValue()).toBe('Because of the tone.')
  await expect
    .poll(() => page.getByTestId('field-text').locator('[data-testid=span-mark], .span-mark').count())
    .toBeGreaterThan(0)

  await page.keyboard.press('ArrowRight')
  await expect.poll(() => position(page).innerText()).toBe('2 of 3')
  await expect.poll(() => recordText(page)).toContain('Record number 2')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => position(page).innerText()).toBe('3 of 3')
  await expect.poll(() => page.getByTestId('next').getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('ArrowRight')
  await page.getByTestId('previous').click()
  await expect.poll(() => position(page).innerText()).toBe('2 of 3')
  expect(page.url()).toContain(`record=${recordIds[2]}`)
  await page.reload()
  await expect.poll(() => position(page).innerText()).toBe('2 of 3')
  await expect.poll(() => recordText(page)).toContain('Record number 2')

  const versions = page.getByTestId('version')
  await expect.poll(() => versions.count()).toBe(1)
  await versions.getByRole('button').click()
  await expect.poll(() => chosen(page, 'mood')).toBe('bad')
  await page.getByTestId('current-answer').click()
  await expect.poll(() => page.getByTestId('text-input').inputValue()).toBe('Changed.')
  await page.getByTestId('back').click()
  await page.getByTestId('people').waitFor()
  await closeSeat(seat)
})

test('nothing can be changed, by mouse or by key', async () => {
  const { id, recordIds } = await seedAnswers('Untouched')
  const seat = await sitAs(world.admin)
  const { page } = seat
  const writes: string[] = []
  page.on('request', request => {
    if (request.method() !== 'GET' && request.url().includes('/api/')) writes.push(request.url())
  })
  await page.goto(addressOf(id, `status=submitted&record=${recordIds[0]}`))
  const mood = page.getByTestId('question-mood').getByTestId('option')
  await mood.last().click({ force: true })
  for (const key of ['2', 'x', 'Enter', 'Control+s', 'Control+Backspace']) await page.keyboard.press(key)
  await expect.poll(() => chosen(page, 'mood')).toBe('good')
  expect(await page.getByTestId('text-input').getAttribute('readonly')).not.toBeNull()
  await expect.poll(() => page.getByTestId('submit').count()).toBe(0)
  expect(writes).toEqual([])
  await closeSeat(seat)
})

test('an answer that has changed its status or is gone is named as such, and the neighbours stay', async () => {
  const { id, recordIds } = await seedAnswers('Moved')
  const seat = await sitAs(world.admin, { allow: [/404/] })
  const { page } = seat
  await page.goto(addressOf(id, `status=submitted&record=${recordIds[1]}`))
  await page.getByTestId('not-listed').waitFor()
  await expect.poll(() => page.getByTestId('answer-status').innerText()).toBe('Discarded')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => position(page).innerText()).toBe('2 of 3')

  const [record] = (await listRecords(world.owner, id)).slice(2)
  await world.annotator.client.deleteResponse({ params: { response_id: record?.responses?.[0]?.id ?? '' } })
  await page.reload()
  await page.getByTestId('no-answer').waitFor()
  await expect.poll(() => page.getByTestId('version').count()).toBe(2)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => position(page).innerText()).toBe('1 of 2')

  await page.goto(addressOf(id, 'status=draft'))
  await page.getByTestId('no-answers').waitFor()
  await page.goto(`dataset/${id}/overview/answers/${world.admin.id}?status=submitted&record=${recordIds[0]}`)
  await page.getByTestId('author-gone').waitFor()
  await page.goto(addressOf(id, `record=${id}`))
  await page.getByTestId('answer-gone').waitFor()
  await page.goto(addressOf(id, ''))
  await expect.poll(() => position(page).innerText()).toBe('1 of 2')
  await closeSeat(seat)
})

test('annotators are told that it is for leads, and nothing is asked for them', async () => {
  const { id, recordIds } = await seedAnswers('Not theirs')
  const seat = await sitAs(world.annotator)
  const { page } = seat
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.goto(addressOf(id, `record=${recordIds[0]}`))
  await page.getByTestId('leads-only').waitFor()
  expect(asked.filter(path => /\/api\/.*(response|overview)/.test(path))).toEqual([])
  await closeSeat(seat)
})

test('on a phone, everything is reachable, and nothing is cut off', async () => {
  const { id, recordIds } = await seedAnswers('Small')
  const seat = await sitAs(world.admin, { width: 320, height: 640 })
  const { page } = seat
  await page.goto(addressOf(id, `record=${recordIds[0]}`))
  await expect.poll(() => chosen(page, 'mood')).toBe('good')
  expect(await listTooWide(page)).toEqual([])
  expect(await listViolations(page)).toEqual([])
  await page.getByTestId('next').click()
  await expect.poll(() => position(page).innerText()).toBe('2 of 3')
  await closeSeat(seat)
})
