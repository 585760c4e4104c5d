/** Layout: elements that must not overlap, be clipped or move: field names, span names, lines of text, previews on cards. */
import { expect, test } from 'vitest'
import { currentRecord, openDataset } from './annotation-page.ts'
import { openBulkView } from './bulk-view.ts'
import { page, takeDesk, world } from './desk.ts'
import { span } from './question-plans.ts'
import { label, seed } from './seed.ts'

takeDesk({ as: 'admin' })

const field = (name: string, title: string) => ({
  name,
  title,
  required: name === 'text',
  settings: { type: 'text' as const, use_markdown: false },
})

test.each([1440, 1000, 320])('at %d px a long field name stays beside or above its text', async width => {
  await page.setViewportSize({ width, height: 900 })
  const fields = [
    field('text', 'customer_message_translated_by_model'),
    field('other', 'Rechtsschutzversicherungsgesellschaften'),
  ]
  const records = [{ fields: { text: 'The first text', other: 'The other text' } }]
  await openDataset(
    page,
    await seed(world, { name: `names ${width}`, fields, questions: [label('mood', ['good', 'bad'])], records }),
  )
  for (const { name, title } of fields) {
    const boxes = await page.getByTestId(`field-${name}`).evaluate(element => {
      const rectOf = (selector: string) => {
        const range = document.createRange()
        range.selectNodeContents(element.querySelector(selector) ?? element)
        return range.getBoundingClientRect()
      }
      const [one, other] = [rectOf('.field-head b'), rectOf('.field-body')]
      return { areApart: one.right <= other.left || one.bottom <= other.top, right: one.right }
    })
    expect(boxes.areApart).toBe(true)
    expect(boxes.right).toBeLessThanOrEqual(width)
    expect(await page.getByTestId(`field-${name}`).locator('.field-head b').getAttribute('title')).toBe(title)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

const WORDS = 'Ruth wrote to the workshop in the harbour because the gears of her bicycle do not shift any longer. '
const at = (text: string, words: string, value: string) => ({
  label: value,
  start: text.indexOf(words),
  end: text.indexOf(words) + words.length,
})

test('an overlapping span moves no line of the text, and its name stands below the other one', async () => {
  const text = WORDS.repeat(4)
  const id = await seed(world, {
    name: 'overlap',
    questions: [span('names', ['person', 'place'], { allow_overlapping: true })],
    records: [{ fields: { text } }],
  })
  await openDataset(page, id)
  const body = currentRecord(page).locator('.span-text')
  const height = () => body.evaluate(element => element.getBoundingClientRect().height)
  const before = await height()
  const spans = [
    at(text, 'the workshop in the harbour', 'place'),
    at(text, 'harbour because', 'person'),
    at(text, 'in the harbour', 'person'),
  ]
  const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: {} })
  const { items: questions } = await world.owner.listQuestions({ params: { dataset_id: id } })
  await world.owner.upsertSuggestion({
    params: { record_id: items[0]?.id ?? '' },
    body: { question_id: questions[0]?.id ?? '', value: spans, score: null, agent: null },
  })
  await openDataset(page, id)
  await expect.poll(() => body.getByTestId('span').count()).toBe(3)
  expect(await height()).toBe(before)
  const tops = await body.locator('.span-name').evaluateAll(names => names.map(name => name.getBoundingClientRect().top))
  expect(new Set(tops.map(Math.round)).size).toBe(2)
})

const LETTER = 'Dear Sir or Madam,\n\nRuth wrote to the harbour.'
const METADATA = [
  { name: 'length', title: 'Length', settings: { type: 'integer' as const, min: null, max: null }, visible_for_annotators: true },
]

test('a card shows two lines with text, names of spans whole, and metadata with its name', async () => {
  const id = await seed(world, {
    name: 'card',
    fields: [field('text', 'Letter'), field('reply', 'Reply')],
    questions: [label('mood', ['good', 'bad'], false), span('names', ['person', 'place'])],
    metadata: METADATA,
    records: [
      { fields: { text: LETTER, reply: 'Hello,\n \n\nwe are on it.' }, metadata: { length: 12345 } },
      { fields: { text: 'Nothing to mark' } },
    ],
  })
  const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: {} })
  const { items: questions } = await world.owner.listQuestions({ params: { dataset_id: id } })
  await world.owner.upsertSuggestion({
    params: { record_id: items[0]?.id ?? '' },
    body: { question_id: questions[1]?.id ?? '', value: [at(LETTER, 'harbour', 'place')], score: null, agent: null },
  })
  await openBulkView(id)
  const card = page.getByTestId('record').first()
  const name = card.getByTestId('span')
  await name.waitFor()
  /** True if the words and their surroundings are not clipped. */
  const isWhole = (selector: string, words: string) =>
    card.locator(selector).evaluate((element, given) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      let node = walker.nextNode()
      while (node && !node.textContent?.includes(given)) node = walker.nextNode()
      if (!node) throw new Error(`No ${given} on the card`)
      const range = document.createRange()
      range.selectNodeContents(node)
      const box = range.getBoundingClientRect()
      return box.height > 0 && box.bottom <= element.getBoundingClientRect().bottom
    }, words)
  await expect.poll(() => isWhole('[data-testid=field-text] .card-text', 'place')).toBe(true)
  expect(await isWhole('[data-testid=field-text] .card-text', 'Ruth wrote')).toBe(true)
  expect(await isWhole('[data-testid=field-reply] .card-text', 'we are on it')).toBe(true)
  expect(await card.locator('.meta').innerText()).toContain('Length 12,345')
  // A line has the same height with and without marks.
  const lineHeight = (index: number) =>
    page
      .getByTestId('record')
      .nth(index)
      .locator('.span-text')
      .evaluate(element => getComputedStyle(element).lineHeight)
  expect(await lineHeight(0)).toBe(await lineHeight(1))
})
