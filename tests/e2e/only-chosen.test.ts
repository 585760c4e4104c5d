/** Keys and clicks store what the person chose and nothing else, also while a lead changes the settings. */
import { describe, expect, test } from 'vitest'
import { expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { openBulkView } from './bulk-view.ts'
import { begin, beginSuggested, option, page, press, question, takeDesk, world } from './desk.ts'
import { ranking, rating, span, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator' })

const active = () => page.locator('section.question.now').getAttribute('data-testid')
const isOn = (name: string, value: string) => option(name, value).getAttribute('aria-checked')
const isIn = (name: string) => question(name).evaluate(element => element.contains(document.activeElement))
const valuesAt = async (id: string, at = 0) => (await storedResponse(world, id, at))?.values ?? null

describe('Enter on a form that is not complete', () => {
  test('goes to the question that is missing, and chooses nothing', async () => {
    const id = await begin('enter', {
      questions: [ranking('quality', ['a', 'b']), label('mood', ['good', 'bad']), rating('stars', [0, 1, 2])],
    })
    await press('Tab', '1', '2', 'Enter')
    await expect.poll(active).toBe('question-mood')
    await expect.poll(() => isIn('mood')).toBe(true)
    expect(await question('mood').getByRole('alert').count()).toBe(1)
    await press('Enter', 'Enter')
    expect(await isOn('mood', 'good')).toBe('false')
    await press('2')
    await expect.poll(active).toBe('question-stars')
    await press('Enter', 'Enter')
    expect(await isOn('stars', '0')).toBe('false')
    await press('1', 'Enter')
    await expectRecordText(page, 'Record number 1')
    const ranks = ['a', 'b'].map((value, i) => ({ value, rank: i + 1 }))
    await expect.poll(() => valuesAt(id)).toEqual({ quality: ranks, mood: 'bad', stars: 1 })
  })

  test('takes the focus from the record to the question', async () => {
    await begin('enter outside', { questions: [label('mood', ['good', 'bad']), text('note', false)] })
    await press('r', 'Enter')
    await expect.poll(() => isIn('mood')).toBe(true)
    expect(await isOn('mood', 'good')).toBe('false')
  })
})

test('after its last rank a ranking is left, so that the next digit belongs to the next question', async () => {
  const id = await begin('last rank', { questions: [ranking('order', ['a', 'b', 'c']), rating('stars', [1, 2, 3])] })
  await press('Tab', '1', '2', '3')
  await expect.poll(active).toBe('question-stars')
  await press('2', 'Enter')
  await expectRecordText(page, 'Record number 1')
  const order = ['a', 'b', 'c'].map((value, i) => ({ value, rank: i + 1 }))
  await expect.poll(() => valuesAt(id)).toEqual({ order, stars: 2 })
})

describe('spans', () => {
  test('nobody has looked for them until one is marked, or somebody says that there are none', async () => {
    const id = await begin('no spans', { questions: [span('names', ['person', 'place']), text('note', false)] })
    await press('Enter')
    await expect.poll(() => question('names').getByRole('alert').count()).toBe(1)
    await expectRecordText(page, 'Record number 0')
    await press('0')
    await expect.poll(() => page.getByTestId('nothing-to-mark').getAttribute('aria-pressed')).toBe('true')
    await press('Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => valuesAt(id)).toEqual({ names: [] })
  })

  test('in the bulk view, too', async () => {
    const id = await seed(world, { name: 'no spans at once', questions: [span('names', ['person'])], records: texts(3) })
    await openBulkView(id)
    await press('Control+a', 'Enter')
    await expect.poll(() => question('names').getByRole('alert').count()).toBe(1)
    expect(await valuesAt(id)).toBeNull()
    await question('names').getByTestId('nothing-to-mark').click()
    await press('Enter')
    for (const at of [0, 1, 2]) await expect.poll(() => valuesAt(id, at)).toEqual({ names: [] })
  })

  test('Enter on the last span submits, Shift Enter opens its labels', async () => {
    const id = await begin('last span', { questions: [span('names', ['person', 'place'])] })
    await press('r', 'Shift+ArrowRight', '1', 'Shift+Enter')
    await page.getByTestId('label-list').waitFor()
    await press('Escape', 'Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => valuesAt(id)).toMatchObject({ names: [{ label: 'person' }] })
  })
})

test('a selection in the text of the record before marks nothing', async () => {
  const id = await seed(world, { name: 'left selection', questions: [span('names', ['person', 'place'])], records: texts(3) })
  await openDataset(page, id)
  // The record before stays in the page until the browser is idle.
  await page.evaluate(() => {
    window.requestIdleCallback = () => 0
  })
  await press('r', 'ArrowRight', '1', 'Enter')
  await expectRecordText(page, 'Record number 1')
  await press('2')
  await expect.poll(() => option('names', 'place').getAttribute('aria-pressed')).toBe('true')
  await press('2', 'Control+s')
  await expect.poll(() => valuesAt(id, 1)).toEqual({})
})

describe('a suggestion that is hidden', () => {
  test('is not accepted by its key', async () => {
    const plan = { questions: [label('mood', ['good', 'bad'])], options: { suggestions: 'hide' as const } }
    const id = await beginSuggested('blind', plan, { value: 'bad' })
    await press('u', 'Control+s')
    await expect.poll(() => valuesAt(id)).toEqual({})
  })
})

describe('a click right after typing', () => {
  test.each([{ use_markdown: false }, { use_markdown: true }])('reaches what is below the text: %j', async settings => {
    const note = { ...text('note', false), settings: { type: 'text' as const, ...settings } }
    const questions = [note, label('mood', ['good', 'bad'])]
    await beginSuggested(`click ${settings.use_markdown}`, { questions }, { value: 'One line' })
    await press('Tab', 'Shift+Enter', 'Control+End')
    await page.keyboard.type('s')
    await question('note').getByText('9 characters').waitFor()
    await option('mood', 'bad').click()
    await expect.poll(() => isOn('mood', 'bad')).toBe('true')
  })
})

test('an accepted suggestion leaves the focus on the item that is being ranked', async () => {
  const value = ['a', 'b', 'c'].map((one, i) => ({ value: one, rank: i + 1 }))
  const plan = { questions: [ranking('order', ['a', 'b', 'c']), text('note', false)], options: { suggestions: 'show' as const } }
  await beginSuggested('kept item', plan, { value })
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-key') ?? null)
  await press('Tab', '3')
  await expect.poll(focused).toBe('b')
  await press('u')
  await expect.poll(() => option('order', 'a').evaluate(item => item.closest('[data-slot]')?.getAttribute('data-slot'))).toBe('1')
  await expect.poll(focused).toBe('b')
})

test('undo takes back the last change, not a key that changed nothing', async () => {
  await begin('undo', { questions: [rating('stars', [1, 2]), label('mood', ['good', 'bad'])] })
  await press('2', 'Alt+Backspace', 'Control+z')
  await expect.poll(() => isOn('stars', '2')).toBe('false')
})

describe('a tool that was clicked', () => {
  test('does not take Enter', async () => {
    const id = await begin('flag', { questions: [rating('stars', [1, 2, 3]), text('note', false)] })
    const flag = page.getByRole('button', { name: 'Flag this record' })
    await flag.click()
    await expect.poll(() => flag.getAttribute('aria-pressed')).toBe('true')
    await press('3', 'Enter')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => valuesAt(id)).toEqual({ stars: 3 })
    await press('ArrowLeft')
    expect(await flag.getAttribute('aria-pressed')).toBe('true')
  })

  test('does not take Space in the bulk view, nor does the menu of page sizes', async () => {
    const id = await seed(world, { name: 'page sizes', questions: [rating('stars', [1, 2])], records: texts(30) })
    await openBulkView(id)
    const rows = page.locator('[role=menuitemradio]')
    await page.getByTestId('page-size').click()
    await rows.filter({ hasText: '25' }).click()
    await expect.poll(() => page.getByTestId('position').innerText()).toBe('1–25')
    await press('Space')
    expect(await page.locator('[role=menu]:popover-open').count()).toBe(0)
  })
})

test('a comment that is not sent is there again after Escape', async () => {
  await begin('half a comment', { questions: [rating('stars', [1, 2])] })
  await press('c')
  const box = page.locator('dialog[open] textarea')
  await box.fill('Half a comm')
  await press('Escape')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await press('c')
  await expect.poll(() => box.inputValue()).toBe('Half a comm')
})

describe('settings that a lead saves meanwhile', () => {
  const lead = () => world.admin.client
  const announced = () => page.getByText('The settings of this dataset have changed.').waitFor()

  test('leave the record, the focus, the selection and the text', async () => {
    const id = await begin('retitled', { questions: [text('note'), label('mood', ['good', 'bad'])], records: texts(60) })
    for (let i = 0; i < 3; i++) await press('ArrowRight')
    await expectRecordText(page, 'Record number 3')
    await question('note').locator('textarea').focus()
    await page.keyboard.type('half a sen')
    await press('Shift+ArrowLeft', 'Shift+ArrowLeft')
    const { items } = await lead().listQuestions({ params: { dataset_id: id } })
    const mood = items.find(({ name }) => name === 'mood')
    await lead().updateQuestion({ params: { question_id: mood?.id ?? '' }, body: { title: 'Which tone' } })
    await question('mood').getByText('Which tone').waitFor()
    await announced()
    await page.keyboard.type('ntence')
    await expectRecordText(page, 'Record number 3')
    expect(await question('note').locator('textarea').inputValue()).toBe('half a sntence')
    await lead().updateDataset({ params: { dataset_id: id }, body: { guidelines: 'Read all of it, **twice**.' } })
    await announced()
    await page.keyboard.type('!')
    await expectRecordText(page, 'Record number 3')
    expect(await question('note').locator('textarea').inputValue()).toBe('half a sntence!')
    await press('Escape')
    await expectSaved(page)
  })

  test('show a suggestion with its new label', async () => {
    const id = await seed(world, { name: 'merged', questions: [label('mood', ['good', 'fine', 'bad'])], records: [] })
    const client = lead()
    const { items } = await client.listQuestions({ params: { dataset_id: id } })
    const question_id = items[0]?.id ?? ''
    const suggestions = [{ question_id, value: 'fine', score: null, agent: 'model-7' }]
    await client.createRecordsBulk({
      params: { dataset_id: id },
      body: { items: texts(4).map(record => ({ ...record, suggestions })) },
    } as Parameters<typeof client.createRecordsBulk>[0])
    await openDataset(page, id)
    await press('ArrowRight')
    await expect.poll(() => isOn('mood', 'fine')).toBe('true')
    await client.migrateQuestionOption({ params: { question_id }, body: { from: 'fine', to: 'good' } })
    await expect.poll(() => isOn('mood', 'good')).toBe('true')
    await expectRecordText(page, 'Record number 1')
    await press('Enter')
    await expectRecordText(page, 'Record number 2')
    await expect.poll(() => valuesAt(id, 1)).toEqual({ mood: 'good' })
  })
})
