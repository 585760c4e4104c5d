/** Keys: each command of the annotation page, precedence between parts, and custom key bindings. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, openDataset, storedResponse } from './annotation-page.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { seedEverything } from './everything.ts'
import { ranking, rating, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator' })
let everything: string
beforeAll(async () => {
  everything = (await seedEverything(world, 12)).datasetId
})

const position = () => page.getByTestId('position').innerText()
const statusAt = async (dataset: string, at: number) => (await storedResponse(world, dataset, at))?.status ?? null
const activeQuestion = () => page.locator('section.question.now').getAttribute('data-testid')
const isIn = (pane: string) => page.evaluate(name => document.activeElement?.closest(`[data-pane=${name}]`) !== null, pane)
const dialog = () => page.locator('dialog[open]')
const option = (question: string, value: string) =>
  page.locator(`[data-testid=question-${question}] [data-value="${value}"]`).first()

describe('one record at a time', () => {
  let dataset = ''
  let count = 0
  beforeEach(async () => {
    dataset = await seed(world, {
      name: `keys ${++count}`,
      questions: [label('mood', ['good', 'bad', 'mixed']), rating('quality', [1, 2, 3]), text('note', false)],
      guidelines: 'Read all of it.',
      records: texts(4, i => `Record number ${i}. ${'A long line of words. '.repeat(400)}`),
    })
    await openDataset(page, dataset)
  })

  test('X and Ctrl Backspace discard, Backspace does not, Ctrl Z brings back, Ctrl Y discards again', async () => {
    await press('Backspace')
    await expectRecordText(page, 'Record number 0')
    await press('x')
    await expectRecordText(page, 'Record number 1')
    await expect.poll(() => page.getByTestId('undo').count()).toBe(1)
    await press('Control+z')
    await expectRecordText(page, 'Record number 0')
    await expect.poll(() => statusAt(dataset, 0)).toBeNull()
    await press('Control+y')
    await expectRecordText(page, 'Record number 1')
    await press('Control+Backspace')
    await expectRecordText(page, 'Record number 2')
    await expect.poll(() => statusAt(dataset, 1)).toBe('discarded')
  })

  test('Shift and an arrow skip, arrows step, Home and End go to the ends, G to a place', async () => {
    await press('Shift+ArrowRight')
    await expectRecordText(page, 'Record number 1')
    await press('ArrowRight')
    await expectRecordText(page, 'Record number 2')
    await press('ArrowLeft')
    await expectRecordText(page, 'Record number 1')
    await press('End')
    await expect.poll(position).toBe('4')
    await press('Home')
    await expect.poll(position).toBe('1')
    await press('g')
    await expect.poll(() => dialog().count()).toBe(1)
    await page.keyboard.type('3')
    await press('Enter')
    await expect.poll(position).toBe('3')
  })

  test('Alt Backspace clears the question in hand, Shift and a digit goes to one, arrows go between them', async () => {
    await press('Tab', '1')
    await expect.poll(activeQuestion).toBe('question-quality')
    await press('ArrowUp', 'Alt+Backspace')
    await expect.poll(() => option('mood', 'good').getAttribute('aria-checked')).toBe('false')
    await press('Shift+3')
    await expect.poll(activeQuestion).toBe('question-note')
    await press('ArrowUp', 'ArrowUp', 'ArrowDown')
    await expect.poll(activeQuestion).toBe('question-quality')
    await press('Control+s')
    await expect.poll(() => statusAt(dataset, 0)).toBe('draft')
  })

  test('R and Q change between record and form, Space and Alt with an arrow scroll the record', async () => {
    const top = () => page.locator('[data-pane=record]').evaluate(sheet => sheet.scrollTop)
    await press('q')
    await expect.poll(() => isIn('form')).toBe(true)
    await press('Alt+ArrowDown')
    await expect.poll(top).toBeGreaterThan(100)
    await expect.poll(() => isIn('form')).toBe(true)
    await press('Alt+ArrowUp')
    await expect.poll(top).toBe(0)
    await press('r')
    await expect.poll(() => isIn('record')).toBe(true)
    await press('Space')
    await expect.poll(top).toBeGreaterThan(100)
  })

  test('panels and tools open by letter: I, P, M, C, B, F, O, question mark and Ctrl K', async () => {
    const guidelines = () => page.getByText('Read all of it.').isVisible()
    const wereOpen = await guidelines()
    await press('i')
    await expect.poll(guidelines).toBe(!wereOpen)
    await press('p')
    await expect.poll(() => page.locator('details.pull[open] .progress-list').count()).toBe(1)
    for (const key of ['m', 'c', '?', 'Control+k']) {
      await press(key)
      await expect.poll(() => dialog().count(), { message: key }).toBe(1)
      await press('Escape')
      await expect.poll(() => dialog().count(), { message: key }).toBe(0)
    }
    await press('b')
    await expect.poll(() => currentRecord(page).locator('[aria-pressed=true]').count()).toBe(1)
    await press('f')
    await expect.poll(() => page.getByTestId('filters').getAttribute('aria-expanded')).toBe('true')
    await press('Escape', 'o')
    await expect.poll(() => page.getByTestId('sort').getAttribute('aria-expanded')).toBe('true')
  })

  test('a slash searches, Enter applies, N and Shift N go through the hits, Escape leaves the box', async () => {
    await press('/')
    await page.keyboard.type('line')
    await press('Escape')
    await expect.poll(() => page.getByTestId('search-input').inputValue()).toBe('')
    await press('/')
    await page.keyboard.type('line')
    await press('Enter')
    await expect.poll(() => page.url()).toContain('search=line')
    await expectRecordText(page, 'Record number')
    const at = () => currentRecord(page).locator('.record-head .numeric').last().innerText()
    await expect.poll(at).toMatch(/200/)
    await press('n', 'n')
    await expect.poll(at).toMatch(/\b2 of/)
    await press('Shift+n')
    await expect.poll(at).toMatch(/\b1 of/)
  })

  test('a text keeps every key but those that leave or send', async () => {
    await press('Shift+3', 'Shift+Enter')
    await page.keyboard.type('xuf?/12 ')
    await press('Control+k')
    await expect.poll(() => dialog().count()).toBe(1)
    await press('Escape')
    await press('Alt+Backspace', 'ArrowRight', 'ArrowDown')
    await expectRecordText(page, 'Record number 0')
    await press('Escape')
    await expect.poll(() => isIn('form')).toBe(true)
    await press('Escape')
    await expect.poll(() => isIn('record')).toBe(true)
    await press('ArrowRight')
    await expectRecordText(page, 'Record number 1')
    await expectSaved(page)
    expect((await storedResponse(world, dataset, 0))?.values).toMatchObject({ note: expect.stringContaining('xuf?/12') })
  })

  test('digits go by their place on the keyboard, and the number pad counts', async () => {
    const strike = (key: string, code: string) =>
      page.evaluate(init => window.dispatchEvent(new KeyboardEvent('keydown', { ...init, cancelable: true })), { key, code })
    await strike('&', 'Digit1')
    await expect.poll(() => option('mood', 'good').getAttribute('aria-checked')).toBe('true')
    await strike('3', 'Numpad3')
    await expect.poll(() => option('quality', '3').getAttribute('aria-checked')).toBe('true')
  })
})

describe('fields', () => {
  test('an image is zoomed by plus, minus and 0 and fills the screen by V; J and K walk through a chat', async () => {
    await openDataset(page, everything)
    const image = page.getByTestId('field-image')
    await image.scrollIntoViewIfNeeded()
    const size = () => image.locator('img').evaluate(img => img.getBoundingClientRect().width)
    const before = await size()
    await press('+', '+')
    await expect.poll(size).toBeGreaterThan(before)
    await press('0')
    await expect.poll(size).toBe(before)
    await press('v')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true)
    await press('v')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
    const turns = page.getByTestId('field-chat').locator('ol > li')
    await turns.first().focus()
    await press('j')
    await expect.poll(() => turns.nth(1).evaluate(turn => turn === document.activeElement)).toBe(true)
    await press('k')
    await expect.poll(() => turns.first().evaluate(turn => turn === document.activeElement)).toBe(true)
  })
})

describe('own keys', () => {
  const row = (id: string) => page.locator(`tr[data-command="${id}"]`)
  async function addKey(id: string, key: string) {
    await row(id).locator('.add').click()
    await press(key)
  }
  const save = () => page.getByTestId('save-keys')
  const openKeys = () => page.goto('user-settings?tab=keys')

  test('every command of the sheet stands in the settings', async () => {
    await openDataset(page, everything)
    await press('?')
    const titles = await page.getByTestId('shortcut-sheet').locator('dt').allInnerTexts()
    await press('Escape')
    await openKeys()
    await row('annotate.submit').waitFor()
    const known = (await page.locator('tr[data-command] th').allInnerTexts()).map(text => text.trim())
    // The title of digit keys depends on the question.
    const bySituation = ['Select value', 'Move item to rank', 'Add span with label n', 'Select option by letter']
    expect(titles.filter(title => !known.includes(title) && !bySituation.includes(title))).toEqual([])
  })

  test('two meanings of one key are told before saving; a part in hand may have the page’s key', async () => {
    await openKeys()
    await addKey('annotate.flag', 'x')
    await expect.poll(() => row('annotate.flag').innerText()).toContain('X is already used for: Discard')
    await expect.poll(() => save().isDisabled()).toBe(true)
    await row('annotate.flag').locator('.icon-button').click()
    await addKey('question.rankUp', 'x')
    await expect.poll(() => row('question.rankUp').innerText()).toContain('replaces: Discard')
    expect(await save().isDisabled()).toBe(false)
    await row('question.rankUp').locator('.icon-button').click()
    await addKey('question.leave', 'q')
    await expect.poll(() => row('question.leave').innerText()).toContain('Q is needed for typing')
    await addKey('question.pick', 'y')
    await expect.poll(() => row('question.pick').innerText()).toContain('needs a digit')
  })

  test('keys of ranking, text, chat, search, digits and the page are changed, exported, imported, shown and pressed', async () => {
    await openKeys()
    const own: [id: string, key: string][] = [
      ['question.rankUp', 'w'],
      ['question.edit', 'e'],
      ['chat.nextTurn', 'y'],
      ['search.apply', 'F2'],
      ['annotate.submit', 'F4'],
    ]
    for (const [id, key] of own) await addKey(id, key)
    // Removes the existing bindings of digits first, because Shift and digits would conflict.
    for (const id of ['question.pick', 'annotate.question']) await row(id).locator('.key button').click()
    await addKey('question.pick', 'Shift+4')
    await row('annotate.submit').locator('.key button').first().click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const file = await (await download).path()
    await page.reload()
    await page.getByTestId('import-keys').setInputFiles(file)
    await expect.poll(() => row('question.rankUp').innerText()).toContain('W')
    await save().click()

    const id = await seed(world, {
      name: 'own keys',
      questions: [ranking('replies', ['a', 'b']), text('note')],
      records: texts(2),
    })
    await openDataset(page, id)
    await expect.poll(() => page.getByTestId('submit').innerText()).toContain('F4')
    await press('Tab', 'Shift+1', 'Shift+2')
    // The complete ranking has moved on to the note.
    await press('ArrowUp', 'w')
    await press('?')
    await expect.poll(() => page.getByTestId('shortcut-sheet').innerText()).toMatch(/Move item up one rank\s+Alt ↑\s+W/)
    await press('Escape', 'ArrowDown', 'e')
    await page.keyboard.type('done')
    await press('Escape', 'Enter')
    await expectRecordText(page, 'Record number 0')
    await press('F4')
    await expect.poll(() => statusAt(id, 0)).toBe('submitted')
    expect((await storedResponse(world, id))?.values).toMatchObject({ note: 'done', replies: [{ rank: 1 }, { rank: 1 }] })

    await page.evaluate(id => {
      for (const key of ['postil.preferences', `postil.${id}.preferences`]) localStorage.removeItem(key)
    }, world.annotator.id)
    await page.reload()
  })

  test('single letters can be switched off; keys with a modifier go on', async () => {
    await openKeys()
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).click()
    await openDataset(page, everything)
    await press('x', 'f')
    expect(await position()).toBe('1')
    await expect.poll(() => page.getByTestId('filters').getAttribute('aria-expanded')).toBe('false')
    await press('Control+Backspace')
    await expect.poll(() => page.getByTestId('undo').count()).toBe(1)
    await press('Control+z')
    await expect.poll(() => statusAt(everything, 0)).toBeNull()
    await expectSaved(page)
    await openKeys()
    await page.getByRole('switch', { name: 'Single-letter shortcuts' }).click()
  })
})
