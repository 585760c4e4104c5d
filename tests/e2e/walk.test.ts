/** The annotation page: messages for missing or rejected data, panels, writing, touch. */
import type { Page, Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, listRecords, openDataset, storedResponse } from './annotation-page.ts'
import { enter, openBrowser, takeSeat } from './browser.ts'
import { begin, page, press, question, takeDesk, world } from './desk.ts'
import { ranking, span, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

// 404 for a record that no longer exists.
takeDesk({ as: 'admin', allow: [/status of 404/] })

const mood = () => [label('mood', ['good', 'bad']), text('note', false)]
const head = () => currentRecord(page).locator('header').innerText()
const connection = () => page.getByTestId('connection').getAttribute('data-state')
const empty = () => page.getByTestId('empty').innerText()
const mine = async (datasetId: string) => (await storedResponse({ ...world, annotator: world.admin }, datasetId))?.status ?? null
const queues = async () => {
  await page.getByTestId('queue-menu').click()
  const rows = await page.getByTestId('queue').allInnerTexts()
  await press('Escape')
  return rows.map(row => row.replace(/\s+/g, ' ').trim())
}

describe('what the server refuses', () => {
  test('a record that was deleted meanwhile says so, lets the answer be copied, and is skipped', async () => {
    const id = await begin('deleted', { questions: mood() })
    const [first] = await listRecords(world.owner, id)
    await world.owner.deleteRecords({ params: { dataset_id: id }, query: { ids: first?.id ?? '' } })
    await press('2', 'Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(connection).toBe('attention')
    await press('ArrowRight')
    await expectRecordText(page, 'Record number 0')
    const lost = page.getByTestId('lost')
    await expect.poll(() => lost.innerText()).toContain('This record was deleted')
    await lost.getByRole('button', { name: 'Copy answers' }).click()
    const copied = async () => JSON.parse((await page.evaluate(() => navigator.clipboard.readText())) || 'null')
    await expect.poll(copied).toEqual({ mood: { value: 'bad' } })
    await lost.getByRole('button', { name: /^Skip/ }).click()
    await expectRecordText(page, 'Record number 2')
    expect(await lost.count()).toBe(0)
    await press('ArrowLeft')
    await expectRecordText(page, 'Record number 1')
  })

  test('a wrong answer comes back: the reason beside its question, the record and the counts as the server has them', async () => {
    const id = await begin('refused', { questions: mood() })
    await press('1', 'Control+s')
    await expect.poll(() => mine(id)).toBe('draft')
    const spoil = async (route: Route) => {
      const body = JSON.parse(route.request().postData() ?? '{}')
      for (const item of body.items) item.values.mood.value = 'neither'
      await route.continue({ postData: JSON.stringify(body) })
    }
    await page.route('**/responses/bulk', spoil, { times: 1 })
    await press('Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('attention')
    // Nothing was submitted, so there is nothing to undo.
    await expect.poll(() => page.getByTestId('undo').count()).toBe(0)
    await press('ArrowRight')
    await expectRecordText(page, 'Record number 0')
    await expect.poll(() => question('mood').getByRole('alert').innerText()).toContain('`neither` is not an option')
    await expect.poll(head).toContain('Draft')
    await expect.poll(queues).toEqual(['Pending 2', 'Draft 1', 'Discarded 0', 'Submitted 0'])
    await press('r', '2', 'Enter')
    await expect.poll(() => mine(id)).toBe('submitted')
    await expect.poll(queues).toEqual(['Pending 2', 'Draft 0', 'Discarded 0', 'Submitted 1'])
  })
})

describe('nothing to show', () => {
  test('each in its own words, with the next useful thing to do', async () => {
    const none = await seed(world, { name: 'no records', questions: mood(), records: [] })
    await seed(world, { name: 'more work', questions: mood(), records: texts(4) })
    const few = await seed(world, { name: 'few', questions: mood(), records: texts(1), minSubmitted: 2 })
    const words: string[] = []
    for (const [id, query] of [
      [none, ''],
      [few, '?status=draft'],
      [few, '?status=discarded'],
      [few, '?status=submitted'],
      [few, '?search=zebra&status=submitted'],
    ]) {
      await page.goto(`dataset/${id}/annotation-mode${query}`)
      words.push((await empty()).split('\n')[0] ?? '')
    }
    expect(words).toEqual([
      'No records yet.',
      'You have no drafts in this dataset.',
      'You have not discarded any records in this dataset.',
      'You have not submitted any answers in this dataset.',
      'No matches in Submitted.',
    ])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Show pending' }).click()
    await expectRecordText(page, 'Record number 0')
    await press('1', 'Enter')
    await expect.poll(empty).toContain('You are all done. The team still has 1 record to complete.')
    await page.getByTestId('next-work').click()
    await page.waitForURL(url => !url.pathname.includes(few))
    await currentRecord(page).waitFor()
  })

  test('a lead adds records from there', async () => {
    await page.goto(`dataset/${await seed(world, { name: 'bare', questions: mood(), records: [] })}/annotation-mode`)
    await page.getByTestId('empty').getByRole('button', { name: 'Add records' }).click()
    await page.getByRole('dialog').waitFor()
    await press('Escape')
  })
})

test('guidelines are open at the first visit, closed at the next, and show what changed', async () => {
  const id = await begin('guided', { questions: mood(), guidelines: '# Rules\n\nOld words.' })
  const panel = page.locator('details.pull').first()
  await expect.poll(() => panel.innerText()).toContain('Old words.')
  await press('i')
  await world.owner.updateDataset({ params: { dataset_id: id }, body: { guidelines: '# Rules\n\nNew words.' } })
  await openDataset(page, id)
  await expect.poll(() => panel.getAttribute('open')).toBeNull()
  await expect.poll(() => panel.innerText()).toContain('Updated since you last read them')
  await press('i')
  await page.getByTestId('guidelines-changes').click()
  await expect.poll(() => panel.locator('ins').innerText()).toContain('New')
  await expect.poll(() => panel.locator('del').innerText()).toContain('Old')
  await press('i')
  await expect.poll(() => panel.innerText()).not.toContain('changed')
})

test('the progress line tells the team’s share and mine, and more when it is open', async () => {
  await begin('progress', { questions: mood(), records: texts(4) })
  const panel = page.locator('.margin details.pull')
  await expect.poll(() => panel.innerText()).toMatch(/0%\s*team\s*·\s*0 by you/)
  await press('1', 'Enter')
  await expect.poll(() => panel.innerText()).toMatch(/25%\s*team\s*·\s*1 by you/)
  await press('r', 'p')
  await expect
    .poll(() => panel.innerText())
    .toMatch(/Pending\s+3\s+Draft\s+0\s+Discarded\s+0\s+Submitted\s+1\s+Team: 1 of 4 completed/)
  await press('p')
})

test('an answer is written right to left, pasted as plain text, and rendered as markdown', async () => {
  const summary = { ...text('summary'), settings: { type: 'text' as const, use_markdown: true } }
  await begin('written', { questions: [summary] })
  const input = page.getByTestId('text-input')
  await press('Tab', 'Shift+Enter')
  await page.keyboard.type('שלום')
  expect(await input.evaluate(element => element.matches(':dir(rtl)'))).toBe(true)
  await input.fill('')
  await page.evaluate(() => {
    const as = (type: string, content: string) => ({ [type]: new Blob([content], { type }) })
    return navigator.clipboard.write([new ClipboardItem({ ...as('text/html', '<i>**b**</i>'), ...as('text/plain', '**b**') })])
  })
  await press('Control+v', 'Enter', 'Enter')
  await page.keyboard.type('- one')
  await press('Escape')
  await expect.poll(() => question('summary').locator('strong').innerText()).toBe('b')
  await expect.poll(() => question('summary').locator('li').innerText()).toBe('one')
  await question('summary').locator('strong').click()
  await expect.poll(() => input.inputValue()).toBe('**b**\n\n- one')
})

test('a finger drags an item to its rank, and the place is told', async () => {
  const id = await seed(world, { name: 'finger', questions: [ranking('replies', ['a', 'b', 'c'])], records: texts(2) })
  const context = await (await openBrowser()).newContext({
    baseURL: `${world.server.url}/`,
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
  })
  const phone = await context.newPage()
  await phone.setViewportSize({ width: 390, height: 844 })
  await enter(phone.context(), world, world.admin)
  await openDataset(phone, id)
  const form = phone.getByTestId('question-replies')
  await drag(phone, form.locator('.rank-item:has([data-value=b]) .grip'), form.locator('.hole').first())
  await expect.poll(() => form.getByRole('status').innerText()).toBe('b, rank 1 of 3')
  await context.close()
})

async function drag(on: Page, from: ReturnType<Page['locator']>, to: ReturnType<Page['locator']>) {
  const touch = await on.context().newCDPSession(on)
  const centre = async (element: typeof from) => {
    const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    return { x: x + width / 2, y: y + height / 2 }
  }
  const [start, end] = [await centre(from), await centre(to)]
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  await send('touchStart', [start])
  for (let i = 1; i <= 8; i++)
    await send('touchMove', [{ x: start.x + ((end.x - start.x) * i) / 8, y: start.y + ((end.y - start.y) * i) / 8 }])
  await send('touchEnd', [])
}

test('a long text is marked where the browser cannot highlight', async () => {
  const long = `Ada ${'walked on and on. '.repeat(11_200)}`
  expect(long.length).toBeGreaterThan(200_000)
  const id = await seed(world, { name: 'long', questions: [span('names', ['person', 'place'])], records: texts(2, () => long) })
  const seat = await takeSeat(world.server.url, { allow: [/401/] })
  await seat.page.addInitScript(() => {
    Reflect.deleteProperty(CSS, 'highlights')
    Reflect.deleteProperty(window, 'Highlight')
  })
  await enter(seat.context, world, world.admin)
  await openDataset(seat.page, id)
  for (const key of ['r', 'ArrowRight', '1']) await seat.page.keyboard.press(key)
  await expect.poll(() => seat.page.getByTestId('span').getAttribute('data-end')).toBe('3')
  await seat.context.close()
  expect(seat.troubles).toEqual([])
})
