/** Finding records: search, highlighting, filters, sorting, views, similarity, and all of it in the URL. */
import { beforeAll, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { page, takeDesk, world } from './desk.ts'
import { type Everything, seedEverything } from './everything.ts'
import { dress } from './screens.ts'

takeDesk({ as: 'annotator' })
let letters: Everything
beforeAll(async () => {
  letters = await seedEverything(world)
})

const open = (query = '') => openDataset(page, letters.datasetId, query)
const total = () => page.getByTestId('total').first().innerText()
const finds = (count: number) => expect.poll(total).toBe(String(count))
const queryOf = (name: string) => new URL(page.url()).searchParams.get(name)
const input = () => page.getByTestId('search-input')
async function choose(group: string, category: string | null): Promise<void> {
  await page.getByTestId(`filter-${group}`).click()
  if (category) await page.locator(`[data-category="${group}.${category}"]`).click()
}
const panel = () => page.locator('.panel:visible')
const badges = () => page.getByTestId('filter-badge').allInnerTexts()

describe('search', () => {
  test('by key, with history, a field typed before the words, and every hit to jump to', async () => {
    await open()
    await page.keyboard.press('/')
    await page.keyboard.type('text:"Letter 7"')
    await page.keyboard.press('Enter')
    await finds(1)
    await expectRecordText(page, 'Letter 7:')
    expect(queryOf('search')).toBe('%22Letter%207%22~text')

    await page.getByRole('button', { name: 'Clear search' }).click()
    await finds(30)
    await page.keyboard.press('/')
    await page.getByLabel('Search in').selectOption('')
    await input().fill('lamp -nothing')
    await page.keyboard.press('Enter')
    await finds(30)
    const hits = () => currentRecord(page).locator('header').innerText()
    await expect.poll(hits).toContain('3 matches')
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await expect.poll(hits).toContain('match 1 of 3')
    await page.keyboard.press('n')
    await expect.poll(hits).toContain('match 2 of 3')
    await page.keyboard.press('Shift+n')
    await expect.poll(hits).toContain('match 1 of 3')

    await input().click()
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toContainEqual(expect.stringContaining('"Letter 7"'))
    await page.getByRole('option').filter({ hasText: 'Letter 7' }).click()
    await finds(1)
    await page.goBack()
    await finds(30)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await expect.poll(() => queryOf('search')).toBeNull()
  })

  test('matches in markdown are marked again after the language has changed', async () => {
    await open('?search=lamp')
    const hits = () => currentRecord(page).locator('header').innerText()
    await expect.poll(hits).toContain('3 matches')
    await dress(page, { language: 'de' })
    await expect.poll(hits).toContain('3 Treffer')
    await dress(page, { language: 'en' })
  })

  test.each(['fox(', '"', '[a-', '+', 'lamp\\'])('%s is no reason to fail', async words => {
    await page.goto(`dataset/${letters.datasetId}/annotation-mode?search=${encodeURIComponent(encodeURIComponent(words))}`)
    await currentRecord(page).or(page.getByTestId('empty')).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describe('filters', () => {
  test('count beside each value, become badges, and go one by one or together', async () => {
    await open()
    await page.keyboard.press('f')
    await choose('metadata', 'language')
    await expect.poll(() => panel().innerText()).toMatch(/de\s+15\s+en\s+15/)
    await panel().getByRole('checkbox', { name: /^de/ }).check()
    await page.keyboard.press('Escape')
    await finds(15)
    await choose('suggestion', 'names')
    await expect.poll(() => panel().innerText()).toContain('person')
    await page.keyboard.press('Escape')
    await choose('record', null)
    await expect.poll(() => panel().innerText()).toMatch(/Suggested\s+0\s+Not suggested\s+15/)
    await panel()
      .getByRole('button', { name: /^Not flagged/ })
      .click()
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await badges()).length).toBe(2)
    expect(queryOf('record_filter')).toBe('flag.exists.false')
    await page.getByTestId('filter-badge').first().getByRole('button').last().click()
    await finds(30)
    await page.getByTestId('reset').click()
    await expect.poll(async () => (await badges()).length).toBe(0)
  })

  test.each([
    ['metadata=pages.ge10.le12', 3],
    ['metadata=score.exists.true', 30],
    ['metadata=score.exists.false', 0],
    ['suggestion=*.value.exists.true', 15],
    ['suggestion=topics.value.operator.and.values.delivery.damage', 15],
    ['suggestion=topics.value.operator.and.values.delivery.praise', 0],
    ['suggestion=replies.value.values.Refund', 15],
    ['suggestion=names.value.values.person', 15],
    ['suggestion=summary.value.exists.false', 15],
    ['suggestion=urgency.value.ge3.le5', 15],
    ['suggestion=mood.agent.model-7', 15],
    ['response=*.exists.false', 30],
    ['response=names.values.person', 0],
    ['response=summary.exists.true', 0],
    ['response=replies.values.Refund', 0],
  ])('?%s finds %i', async (query, count) => {
    await page.goto(`dataset/${letters.datasetId}/annotation-mode?${query}`)
    await page.getByTestId('filters').waitFor()
    if (count > 0) await finds(count)
    else await page.getByTestId('empty').waitFor()
    expect((await badges()).length).toBe(1)
  })
})

test('a menu that was just closed opens again, however soon', async () => {
  await open()
  await page.keyboard.press('o')
  await page.locator(':popover-open').waitFor()
  // Both happen before the browser fires the toggle event.
  await page.evaluate(() => {
    document.querySelector<HTMLElement>(':popover-open')?.hidePopover()
    dispatchEvent(new KeyboardEvent('keydown', { key: 'o', code: 'KeyO', bubbles: true, cancelable: true }))
  })
  await page.getByRole('dialog', { name: 'Sort' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator(':popover-open').count()).toBe(0)
})

test('views are kept for me and shown again', async () => {
  await open('?metadata=language.de&sort=metadata.pages.desc')
  await finds(15)
  await page.getByTestId('views').click()
  await page.getByPlaceholder('Name').fill('German')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByTestId('view').filter({ hasText: 'German' }).waitFor()
  await page.keyboard.press('Escape')
  await open()
  await finds(30)
  await page.getByTestId('views').click()
  await page.getByTestId('view').filter({ hasText: 'German' }).click()
  await finds(15)
  await expectRecordText(page, 'Letter 29')
  expect(queryOf('sort')).toBe('metadata.pages.desc')
})

test('two tabs keep each other’s views', async () => {
  const other = await page.context().newPage()
  const tabs = [page, other]
  for (const tab of tabs) await openDataset(tab, letters.datasetId, '?metadata=language.en')
  for (const [at, tab] of tabs.entries()) {
    await tab.bringToFront()
    await tab.getByTestId('views').click()
    await tab.getByPlaceholder('Name').fill(`Of tab ${at + 1}`)
    await tab.getByRole('button', { name: 'Save', exact: true }).click()
    await tab
      .getByTestId('view')
      .filter({ hasText: `Of tab ${at + 1}` })
      .waitFor()
    await tab.keyboard.press('Escape')
  }
  await page.bringToFront()
  await page.getByTestId('views').click()
  for (const name of ['Of tab 1', 'Of tab 2']) await page.getByTestId('view').filter({ hasText: name }).waitFor()
  await page.keyboard.press('Escape')
  await other.close()
})

test('a view that a lead shares is there for annotators, to show and not to delete', async () => {
  const { page: desk, context } = await takeSeat(world.server.url, { allow: [/401/] })
  await enter(desk.context(), world, world.admin)
  await openDataset(desk, letters.datasetId, '?metadata=language.de')
  await desk.getByTestId('views').click()
  await desk.getByPlaceholder('Name').fill('For all')
  await desk.getByRole('checkbox', { name: 'Share with everyone in this dataset' }).check()
  await desk.getByRole('button', { name: 'Save', exact: true }).click()
  await desk.getByTestId('view').filter({ hasText: 'For all' }).waitFor()
  await context.close()

  await open()
  await page.getByTestId('views').click()
  const view = page.getByTestId('view').filter({ hasText: 'For all' })
  await view.waitFor()
  expect(await page.getByRole('button', { name: /Delete.*For all/ }).count()).toBe(0)
  await view.click()
  await finds(15)
})

test('similar records: a score on each, one list, and the way back', async () => {
  await open()
  await page.getByRole('button', { name: /Find similar/ }).click()
  await expect.poll(() => queryOf('similarity')).toContain('vector.meaning.limit.50.order.most')
  await expect.poll(() => currentRecord(page).innerText()).toMatch(/\d+\s?%/)
  await page.goBack()
  await expect.poll(() => queryOf('similarity')).toBeNull()
})
