/** Marking text by mouse, the names under spans, their colours. By keyboard: questions.test.ts. */
import { expect, test } from 'vitest'
import { expectRecordText, openDataset } from './annotation-page.ts'
import { begin, option, page, press, question, submitAndRead, takeDesk } from './desk.ts'
import { span } from './question-plans.ts'
import { type Plan, texts } from './seed.ts'

takeDesk({ as: 'admin' })

const SENTENCE = 'Ada met Bob in Paris, then Ada left for Paris.'
const field = () => page.getByTestId('field-text')
const marks = () => field().getByTestId('span')
const cut = (value: unknown) =>
  (value as { start: number; end: number; label: string }[])
    .toSorted((a, b) => a.start - b.start || a.label.localeCompare(b.label))
    .map(one => `${one.label}: ${SENTENCE.slice(one.start, one.end)}`)
/** Position of a letter of a word; marks may split the text, but not words. */
const place = ([word, offset]: [word: string, offset: number]) =>
  field().evaluate(
    (element, given) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.parentElement?.closest('[data-ours]') ? -1 : (node.textContent?.indexOf(given.word) ?? -1)
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(node, at + given.offset)
        const { x, y, height } = range.getBoundingClientRect()
        return { x: x + 1, y: y + height / 2 }
      }
      throw new Error(`No ${given.word} in the text`)
    },
    { word, offset },
  )
async function select(from: [string, number], to: [string, number]) {
  const [start, end] = [await place(from), await place(to)]
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(end.x, end.y, { steps: 5 })
  await page.mouse.up()
}
const spanned = (name: string, extra: { allow_overlapping?: boolean } = {}, options: Plan['options'] = {}) =>
  begin(name, { questions: [span('names', ['person', 'place'], extra)], options, records: texts(2, () => SENTENCE) })

test('label first or text first; snaps to words; a new span replaces the one it touches', async () => {
  const id = await spanned('mouse')
  await option('names', 'person').click()
  await select(['Ada', 1], ['Ada', 2])
  await expect.poll(() => marks().count()).toBe(1)
  await option('names', 'person').click()
  await select(['Paris', 1], ['Paris', 3])
  await option('names', 'place').click()
  await expect.poll(() => marks().count()).toBe(2)
  await select(['met', 1], ['Bob', 2])
  await press('1')
  await select(['Ada', 1], ['met', 2])
  await press('2')
  await press('Escape', 'Escape', 'Escape')
  expect(cut((await submitAndRead(id)).names)).toEqual(['place: Ada met', 'place: Paris'])
})

test('single characters with Shift held', async () => {
  const id = await spanned('by-character')
  await option('names', 'person').click()
  await page.keyboard.down('Shift')
  await select(['Paris', 1], ['Paris', 3])
  await page.keyboard.up('Shift')
  await expect.poll(() => marks().count()).toBe(1)
  await press('Escape', 'Escape')
  expect(cut((await submitAndRead(id)).names)).toEqual(['person: ar'])
})

test('the name under a span is whole, its list changes the label, its cross removes it', async () => {
  const id = await spanned('badge')
  await option('names', 'person').click()
  await select(['Ada', 0], ['Ada', 2])
  await select(['Bob', 0], ['Bob', 2])
  await expect.poll(() => marks().allInnerTexts()).toEqual(['person', 'person'])
  await marks().first().click()
  await page.keyboard.type('pla')
  await press('Enter')
  await expect.poll(() => marks().first().innerText()).toBe('place')
  await marks().nth(1).hover()
  await field()
    .getByRole('button', { name: /^Remove person/ })
    .click()
  await expect.poll(() => marks().count()).toBe(1)
  await press('Escape', 'Escape')
  expect(cut((await submitAndRead(id)).names)).toEqual(['place: Ada'])
})

test('with overlap they stack, and the list gives one range several labels', async () => {
  const id = await spanned('overlap', { allow_overlapping: true })
  await option('names', 'person').click()
  await select(['Ada', 0], ['Bob', 1])
  await select(['met', 0], ['met', 1])
  await expect.poll(() => marks().count()).toBe(2)
  await marks().first().click()
  await page.getByTestId('label-list').locator('[data-value=place]').click()
  await press('Escape')
  await press('Escape', 'Escape')
  expect(cut((await submitAndRead(id)).names)).toEqual(['person: Ada met Bob', 'place: Ada met Bob', 'person: met'])
})

test('the list of labels stays at its mark when the text scrolls, also after the mark was redrawn', async () => {
  const questions = [span('names', ['person', 'place'], { allow_overlapping: true })]
  await begin('scrolled', { questions, records: texts(1, () => `${SENTENCE}\n`.repeat(200)) })
  await option('names', 'person').click()
  await select(['Ada', 0], ['Bob', 1])
  await marks().first().click()
  const list = page.getByTestId('label-list')
  const top = async () => Math.round((await list.boundingBox())?.y ?? 0)
  await list.locator('[data-value=place]').click()
  await expect.poll(() => marks().count()).toBe(2)
  const before = await top()
  await page.locator('.sheet').evaluate(sheet => sheet.scrollBy(0, 40))
  await expect.poll(top).toBe(before - 40)
})

test('each Escape steps outward once, however fast they follow each other', async () => {
  const id = await spanned('fast-escape', { allow_overlapping: true })
  await option('names', 'person').click()
  await select(['Ada', 0], ['Bob', 1])
  await marks().first().click()
  await page.getByTestId('label-list').waitFor()
  // Faster than a real keyboard: no browser task runs in between.
  await page.evaluate(async () => {
    for (let times = 0; times < 3; times++) {
      const key = new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(key)
      for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve()
    }
  })
  await expect.poll(() => option('names', 'person').getAttribute('aria-pressed')).toBe('false')
  expect(cut((await submitAndRead(id)).names)).toEqual(['person: Ada met Bob'])
})

test('equal strings are offered, and marked by one key', async () => {
  const id = await spanned('identical')
  await field().getByRole('group').first().focus()
  await press('ArrowRight', '1')
  await expect.poll(() => page.getByTestId('mark-all').innerText()).toContain('1 more match')
  await press('a', 'Escape', 'Escape')
  expect(cut((await submitAndRead(id)).names)).toEqual(['person: Ada', 'person: Ada'])
})

test('digits go to the question whose text has the focus', async () => {
  const fields = ['text', 'more'].map(name => ({
    ...{ name, title: name, required: true },
    settings: { type: 'text' as const, use_markdown: false },
  }))
  const id = await begin('two-texts', {
    fields,
    questions: [{ ...span('names', ['person', 'place']), required: false }, span('things', ['lamp', 'chair'], { field: 'more' })],
    records: [{ fields: { text: SENTENCE, more: 'A chair.' } }],
  })
  await page.getByTestId('field-more').getByRole('group').first().focus()
  await press('ArrowRight', 'ArrowRight', '2')
  await expect.poll(() => page.getByTestId('field-more').getByTestId('span').innerText()).toBe('chair')
  await press('Escape', 'Escape')
  expect(await submitAndRead(id)).toEqual({ things: [{ label: 'chair', start: 2, end: 7 }] })
})

test('a lead chooses a colour of the palette; chips and marks have it', async () => {
  const id = await spanned('colours')
  await page.goto(`dataset/${id}/settings?tab=questions`)
  const block = page.getByTestId('block-question-names')
  await block.getByTestId('label-colour').first().click()
  await page.getByRole('menuitemradio', { name: 'Rose' }).click()
  await expect.poll(() => option('names', 'person').getAttribute('class')).toContain('label-colour-12')
  await block.getByTestId('update').click()
  await expect.poll(() => block.innerText()).toContain('Saved')
  await openDataset(page, id)
  await expect.poll(() => option('names', 'person').getAttribute('class')).toContain('label-colour-12')
  await expect.poll(() => option('names', 'place').getAttribute('class')).toContain('label-colour-2')
  await option('names', 'person').click()
  await select(['Ada', 0], ['Ada', 2])
  await expect.poll(() => field().locator('.span-mark.ink').first().getAttribute('class')).toContain('label-colour-12')
})

test.each([1440, 900, 390])('labels are whole at %i pixels', async width => {
  await page.setViewportSize({ width, height: 800 })
  const long = 'A label with a name that takes more than one line of a narrow telephone, and is read to its end'
  await begin(`whole-${width}`, { questions: [span('names', ['Person', long])] })
  for (const value of ['Person', long]) {
    const name = option('names', value).locator('.name')
    expect(await name.evaluate(one => one.scrollWidth <= one.clientWidth + 2 && getComputedStyle(one).textOverflow)).toBe('clip')
    const [chip, inner] = [await option('names', value).boundingBox(), await name.boundingBox()]
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((chip?.x ?? 0) + (chip?.width ?? 0))
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('about a chat there is nothing to mark, and the chat is read as one', async () => {
  const chat = { name: 'chat', title: 'Chat', required: true, settings: { type: 'chat' as const, use_markdown: false } }
  await begin('chat', {
    fields: [chat],
    questions: [span('names', ['person'], { field: 'chat' })],
    records: [{ fields: { chat: [{ role: 'user', content: 'Where is my lamp?' }] } }],
  })
  await expectRecordText(page, 'Where is my lamp?')
  await expect.poll(() => question('names').innerText()).toContain('no plain text to select')
})
