/** Each question type by keyboard only, and the result in the API; suggestions; spans next to emoji. */
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { begin, page, press, takeDesk, world } from './desk.ts'
import { multiLabel, ranking, rating, span, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator' })

/** Submits the answer and reads it back. */
async function submitted(datasetId: string) {
  await press('Enter')
  await stored(datasetId)
  return (await storedResponse(world, datasetId))?.values
}
async function stored(datasetId: string) {
  await expect.poll(async () => (await storedResponse(world, datasetId))?.status).toBe('submitted')
  await expectSaved(page)
}
const option = (question: string, value: string) => page.locator(`[data-testid=question-${question}] [data-value="${value}"]`)
const isChecked = (question: string, value: string) => option(question, value).first().getAttribute('aria-checked')

describe('label', () => {
  test('Tab walks through the options, Space picks, again clears, a number picks another', async () => {
    const id = await begin('label', { questions: [label('mood', ['good', 'bad', 'mixed']), text('note', false)] })
    // Once around, then to the second option.
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Space')
    await expect.poll(() => isChecked('mood', 'bad')).toBe('true')
    await press('Shift+1', 'Space')
    await expect.poll(() => isChecked('mood', 'bad')).toBe('false')
    await press('3')
    expect(await submitted(id)).toEqual({ mood: 'mixed' })
  })
})

describe('multi-label', () => {
  const TOPICS = ['typography', 'travel', 'tax', 'weather', 'sports', 'music', 'film', 'food', 'law', 'health', 'war', 'art']

  test('numbers with two digits and one, in one breath', async () => {
    const id = await begin('numbers', { questions: [multiLabel('topic', TOPICS)] })
    await press('Tab', '1', '2', '3', '1')
    await expect.poll(() => isChecked('topic', 'typography')).toBe('true')
    expect(await submitted(id)).toEqual({ topic: ['typography', 'tax', 'art'] })
  })

  test('typing finds a label, Enter takes it, and the next word follows at once', async () => {
    const id = await begin('search', { questions: [multiLabel('topic', [...TOPICS, 'space', 'sea', 'Über'])] })
    await press('Tab')
    await page.keyboard.type('typ')
    await press('Enter')
    await page.keyboard.type('wea')
    await press('Enter')
    await page.keyboard.type('uber')
    await press('Enter', 'Enter', 'Escape')
    expect(await submitted(id)).toEqual({ topic: ['typography', 'weather', 'Über'] })
  })
})

test('rating: two digits make one value', async () => {
  const id = await begin('rating', {
    questions: [rating('quality', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), rating('style', [0, 1, 10])],
  })
  await press('Tab', '1', '0')
  await expect.poll(() => isChecked('quality', '10')).toBe('true')
  await press('1')
  await expect.poll(() => isChecked('style', '1')).toBe('true')
  await press('ArrowUp', 'Shift+Tab', 'Space')
  expect(await submitted(id)).toEqual({ quality: 9, style: 1 })
})

describe('ranking', () => {
  const inOrder = (values: unknown) =>
    (values as { value: string; rank: number }[]).toSorted((a, b) => a.rank - b.rank).map(({ value, rank }) => `${rank} ${value}`)

  test('each number gives the item in hand its place and goes to the next', async () => {
    const id = await begin('ranking', { questions: [ranking('replies', ['a', 'b', 'c'])] })
    await press('Tab', '2', '3', '1')
    expect(inOrder((await submitted(id))?.replies)).toEqual(['1 c', '2 a', '3 b'])
  })

  test('Alt and an arrow move an item, Delete takes its place away, half an order is not sent', async () => {
    const id = await begin('moves', { questions: [ranking('replies', ['a', 'b', 'c'])] })
    await press('Tab', '1', '2', '3')
    await press('Alt+ArrowUp', 'Alt+ArrowUp', 'Delete', 'Enter')
    await expect.poll(() => page.getByTestId('question-replies').innerText()).toContain('Incomplete')
    await press('Shift+1', '2')
    expect(inOrder((await submitted(id))?.replies)).toEqual(['1 a', '2 b', '2 c'])
  })
})

describe('text', () => {
  test('Shift Enter writes, Escape stops, and other keys work again', async () => {
    const id = await begin('text', { questions: [text('summary')] })
    await press('Tab', 'Shift+Enter')
    await page.keyboard.type('x is not a discard, 1 no answer')
    await press('Enter')
    await page.keyboard.type('second line')
    await press('Escape')
    expect(await submitted(id)).toEqual({ summary: 'x is not a discard, 1 no answer\nsecond line' })
  })

  test('Ctrl Enter sends from inside', async () => {
    const id = await begin('from-inside', { questions: [text('summary')] })
    await press('Tab', 'Shift+Enter')
    await page.keyboard.type('done')
    await press('Control+Enter')
    await stored(id)
    expect((await storedResponse(world, id))?.values).toEqual({ summary: 'done' })
    await expect.poll(() => page.getByTestId('position').innerText()).toBe('2')
  })
})

describe('span', () => {
  const LABELS = ['person', 'place']
  const SENTENCE = 'Ada met Bob in Paris, then Ada left.'
  const spanned = (name: string, sentence: string) =>
    begin(name, { questions: [span('names', LABELS)], records: texts(2, () => sentence) })
  const focusText = () => press('r')
  const cut = (sentence: string, value: unknown) =>
    (value as { start: number; end: number; label: string }[]).map(
      ({ start, end, label: name }) => `${name}: ${Array.from(sentence).slice(start, end).join('')}`,
    )

  test('arrows, Shift, numbers, brackets and Delete', async () => {
    const id = await spanned('span', SENTENCE)
    await focusText()
    await press('ArrowRight', '1')
    await press('ArrowRight', 'ArrowRight', '1')
    await press('ArrowRight', 'Shift+ArrowRight', '2')
    await expect.poll(() => page.getByTestId('span').count()).toBe(3)
    await press('[', '[', ']', 'Delete')
    await expect.poll(() => page.getByTestId('span').count()).toBe(2)
    await press('Escape', 'Escape', 'Escape')
    const values = await submitted(id)
    expect(cut(SENTENCE, values?.names)).toEqual(['person: Ada', 'place: in Paris'])
  })

  test('single characters with Alt', async () => {
    const id = await spanned('characters', 'unbelievable')
    await focusText()
    await press('Alt+ArrowRight', 'Alt+Shift+ArrowRight', '1', 'Escape', 'Escape')
    expect(cut('unbelievable', (await submitted(id))?.names)).toEqual(['person: un'])
  })

  const ROCKET = 'yeah 🚀 rocket'
  test('by keyboard, the word after an emoji is stored where Python finds it', async () => {
    const id = await spanned('rocket-keys', ROCKET)
    await focusText()
    const said = page.getByTestId('field-text').getByTestId('span-said')
    for (let i = 0; i < 4 && !(await said.innerText()).includes('rocket'); i++) await press('ArrowRight')
    await press('1', 'Escape', 'Escape')
    const values = await submitted(id)
    expect(values?.names).toMatchObject([{ start: 7, end: 13 }])
    expect(cut(ROCKET, values?.names)).toEqual(['person: rocket'])
  })

  test('and by a double click', async () => {
    const id = await spanned('rocket-mouse', ROCKET)
    await option('names', 'place').click()
    const place = await page.getByTestId('field-text').evaluate(field => {
      const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT)
      const range = document.createRange()
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf('rocket') ?? -1
        if (at >= 0) range.setStart(node, at + 2)
      }
      const { x, y, height } = range.getBoundingClientRect()
      return { x, y: y + height / 2 }
    })
    await page.mouse.dblclick(place.x, place.y)
    await expect.poll(() => page.getByTestId('span').count()).toBe(1)
    await press('Escape', 'Escape')
    expect(cut(ROCKET, (await submitted(id))?.names)).toEqual(['place: rocket'])
  })

  test('nothing to mark is an answer', async () => {
    const id = await spanned('nothing', 'nobody here')
    await page.getByTestId('nothing-to-mark').press('Space')
    await press('Escape')
    expect(await submitted(id)).toEqual({ names: [] })
  })
})

describe('suggestions', () => {
  async function suggested(name: string, mode?: 'show' | 'hide') {
    const id = await seed(world, {
      name,
      questions: [label('mood', ['good', 'bad', 'mixed']), rating('quality', [1, 2, 3])],
      records: [],
      ...(mode ? { options: { suggestions: mode } } : {}),
    })
    const params = { dataset_id: id }
    const { items: questions } = await world.owner.listQuestions({ params })
    const idOf = (question: string) => questions.find(one => one.name === question)?.id ?? ''
    const suggestions = [
      { question_id: idOf('mood'), value: 'mixed', score: 0, agent: 'model-7' },
      { question_id: idOf('quality'), value: 2, score: 0.95 },
    ]
    const items = texts(2).map(record => ({ ...record, suggestions }))
    await world.owner.createRecordsBulk({ params, body: { items } })
    await openDataset(page, id)
    await expectRecordText(page, 'Record number 0')
    return id
  }

  test('are filled in in pencil with their score, zero too; Enter takes all', async () => {
    const id = await suggested('prefilled')
    await expect.poll(() => isChecked('mood', 'mixed')).toBe('true')
    await expect.poll(() => option('mood', 'mixed').getAttribute('class')).toContain('pen')
    await expect.poll(() => option('mood', 'mixed').innerText()).toMatch(/\b0(\.0)?\b/)
    await expect.poll(() => option('mood', 'mixed').getAttribute('title')).toContain('model-7')
    await expect.poll(() => option('quality', '2').innerText()).toMatch(/0\.9|1\.0/)
    expect(await submitted(id)).toEqual({ mood: 'mixed', quality: 2 })
  })

  test('shown without filling in: U takes the one of the question in hand', async () => {
    const id = await suggested('shown', 'show')
    await expect.poll(() => isChecked('mood', 'mixed')).toBe('false')
    await expect.poll(() => option('mood', 'mixed').innerText()).toMatch(/\b0(\.0)?\b/)
    await press('Tab', 'u')
    await expect.poll(() => isChecked('mood', 'mixed')).toBe('true')
    await press('ArrowDown', '3')
    expect(await submitted(id)).toEqual({ mood: 'mixed', quality: 3 })
  })

  test('hidden until answered', async () => {
    await suggested('hidden', 'hide')
    await expect.poll(() => currentRecord(page).count()).toBe(1)
    const words = () => page.getByTestId('question-mood').innerText()
    expect(await words()).not.toMatch(/\b0(\.0)?\b/)
    await expect.poll(() => option('mood', 'mixed').getAttribute('title')).toBeNull()
    await press('Tab', '1')
    await expect.poll(words).toMatch(/\b0(\.0)?\b/)
  })
})
