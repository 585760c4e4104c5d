/** A working day on the annotation page, by keyboard. */
import { describe, expect, test } from 'vitest'
import { page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator', each: 'emptied' })

const current = () => page.locator('[data-testid=record]:not([hidden])')
const text = () => current().getByTestId('field-text').innerText()
const shows = (words: string) => expect.poll(text).toContain(words)
const position = () => page.getByTestId('position').innerText()
const isSaved = () => expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')

async function open(datasetId: string, query = '') {
  await page.goto(`dataset/${datasetId}/annotation-mode${query}`)
  await page.getByTestId('submit').waitFor()
  await current().waitFor()
}

/** In insertion order. */
const records = async (datasetId: string) =>
  (await world.owner.listRecords({ params: { dataset_id: datasetId }, query: { limit: 100, include: ['responses'] } })).items

async function myResponse(datasetId: string, at: number) {
  const response = (await records(datasetId))[at]?.responses?.find(({ user_id }) => user_id === world.annotator.id)
  return response ? [response.status, response.values.sentiment?.value ?? null] : null
}

const small = (name: string) =>
  seed(world, { name, questions: [label('sentiment', ['good', 'bad', 'mixed'])], records: texts(8) })

describe('one label question', () => {
  test('a number answers and goes on; previous steps back into it; undo takes it back', async () => {
    const id = await small('one-label')
    await open(id)
    await shows('Record number 0')
    await page.keyboard.press('2')
    await shows('Record number 1')
    await isSaved()
    expect(await myResponse(id, 0)).toEqual(['submitted', 'bad'])
    await page.keyboard.press('ArrowLeft')
    await shows('Record number 0')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Control+z')
    await shows('Record number 0')
    await isSaved()
    expect(await myResponse(id, 0)).toBeNull()
    await page.keyboard.press('Control+Shift+z')
    await isSaved()
    expect(await myResponse(id, 0)).toEqual(['submitted', 'bad'])
  })

  test('discard, and the way back', async () => {
    const id = await small('discard')
    await open(id)
    await page.keyboard.press('x')
    await shows('Record number 1')
    await isSaved()
    expect(await myResponse(id, 0)).toEqual(['discarded', null])
    await page.getByTestId('undo').click()
    await shows('Record number 0')
    await isSaved()
    expect(await myResponse(id, 0)).toBeNull()
  })

  test('skip puts a record off to the end', async () => {
    const id = await small('skip')
    await open(id)
    await page.keyboard.press('Shift+ArrowRight')
    await shows('Record number 1')
    for (let i = 1; i < 8; i++) {
      await shows(`Record number ${i}`)
      await page.keyboard.press('1')
    }
    await shows('Record number 0')
  })

  test('held down, Enter submits once', async () => {
    const id = await seed(world, {
      name: 'held',
      questions: [label('sentiment', ['good', 'bad'], false), label('other', ['a', 'b'])],
      records: texts(8),
    })
    await open(id)
    await page.keyboard.press('Shift+2')
    await page.keyboard.press('1')
    await page.keyboard.down('Enter')
    await page.keyboard.down('Enter')
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await shows('Record number 1')
    expect(await position()).toBe('2')
  })
})

describe('what is missing', () => {
  test('submit says what, and goes there', async () => {
    const id = await seed(world, {
      name: 'missing',
      questions: [label('first', ['a', 'b'], false), label('sentiment', ['good', 'bad'])],
      records: texts(3),
    })
    await open(id)
    await expect.poll(() => page.getByTestId('submit').isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByTestId('question-sentiment').innerText()).toContain('Required to submit')
    expect(await position()).toBe('1')
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    await shows('Record number 1')
  })
})

describe('unsent work', () => {
  const plan = (name: string) => ({
    name,
    questions: [
      label('sentiment', ['good', 'bad', 'mixed']),
      { name: 'note', title: 'Note', required: false, settings: { type: 'text' as const, use_markdown: false } },
    ],
    records: texts(5),
  })

  test('an edit survives a reload at once, and becomes a draft on the server after a moment', async () => {
    const id = await seed(world, plan('autosave'))
    await open(id)
    await page.keyboard.press('3')
    await page.reload()
    await shows('Record number 0')
    await expect
      .poll(() => page.locator('[data-testid=question-sentiment] [data-value=mixed]').getAttribute('aria-checked'))
      .toBe('true')
    await expect.poll(() => myResponse(id, 0)).toEqual(['draft', 'mixed'])
  })

  test('leaving a record saves what was begun', async () => {
    const id = await seed(world, plan('leave'))
    await open(id)
    await page.keyboard.press('1')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowRight')
    await shows('Record number 1')
    await isSaved()
    expect(await myResponse(id, 0)).toEqual(['draft', 'good'])
  })

  test('an edited submitted answer is not sent until it is sent again', async () => {
    const id = await seed(world, plan('edited'))
    await open(id)
    await page.keyboard.press('1')
    await page.keyboard.press('Control+Enter')
    await shows('Record number 1')
    await isSaved()
    await open(id, '?status=submitted')
    await page.keyboard.press('2')
    await page.locator('[data-pane=form]').getByText('Edited, not submitted').waitFor()
    await page.waitForTimeout(2_500)
    expect(await myResponse(id, 0)).toEqual(['submitted', 'good'])
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => myResponse(id, 0)).toEqual(['submitted', 'bad'])
  })
})

test('a link to a record shows it whatever the queue', async () => {
  const id = await small('link')
  const items = await records(id)
  await page.goto(`record/${items[5]?.id}`)
  await page.getByTestId('submit').waitFor()
  await shows('Record number 5')
})

test('another person finishes records: they leave the queue without a move under the hands', async () => {
  const id = await small('team')
  await open(id)
  const items = await records(id)
  await world.admin.client.upsertMyResponsesBulk({
    body: {
      items: [0, 1].map(at => ({
        record_id: items[at]?.id ?? '',
        status: 'submitted' as const,
        values: { sentiment: { value: 'good' } },
      })),
    },
  })
  await page.waitForTimeout(1_500)
  await shows('Record number 0')
  await page.keyboard.press('ArrowRight')
  await shows('Record number 2')
})
