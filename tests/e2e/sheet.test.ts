/** On phones the form is a sheet below the record: folding, opening and resizing it. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { begin, option, page, press, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'
import { ACTIONS, FORM, listHidden, listViolations, RECORD, visibleShare } from './visible.ts'

takeDesk({ as: 'annotator' })

const records = texts(3, i => `Record number ${i}. ${'The parcel came late, and the box was wet. '.repeat(120)}`)
const SIX = ['repair', 'delivery', 'warranty', 'advice before buying', 'billing', 'praise']
const FORTY = Array.from({ length: 40 }, (_, i) => `label ${i + 1}`)
let twoQuestionsId: string
let manyLabelsId: string
beforeAll(async () => {
  const questions = [label('topic', SIX), label('mood', ['good', 'bad'])]
  twoQuestionsId = await seed(world, { name: 'two-questions', questions, records })
  manyLabelsId = await seed(world, { name: 'many-labels', questions: [label('topic', FORTY)], records })
})
beforeEach(() => page.setViewportSize({ width: 390, height: 844 }))

const handle = () => page.getByTestId('sheet-handle')
const fold = () => page.getByTestId('sheet-fold')
const formHeight = async () => (await page.locator(FORM).boundingBox())?.height ?? 0
/** Position at which the handle can be grabbed. */
async function grip() {
  const box = await handle().boundingBox()
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + 20 }
}
const isFolded = () => expect.poll(() => fold().getAttribute('aria-expanded')).toBe('false')
const isOpen = () => expect.poll(() => fold().getAttribute('aria-expanded')).toBe('true')
/** The announced height matches the actual height. */
const tellsHeight = () =>
  expect
    .poll(async () => Math.abs(Number(await handle().getAttribute('aria-valuenow')) - ((await formHeight()) / 844) * 100))
    .toBeLessThanOrEqual(1)

async function checkFolded() {
  await isFolded()
  expect((await visibleShare(page, RECORD)).height).toBeGreaterThanOrEqual(0.65)
  expect(await listHidden(page, ACTIONS)).toEqual([])
  expect(await page.locator('.questions').isVisible()).toBe(false)
  await expect.poll(() => handle().getAttribute('aria-valuenow')).toBe('0')
}

describe('the sheet folds to its actions', () => {
  beforeEach(() => openDataset(page, twoQuestionsId))

  test('by mouse, with its button or a click on its edge; the focus stays where it was', async () => {
    const before = await formHeight()
    await option('topic', 'billing').focus()
    await fold().click()
    await checkFolded()
    expect(await listViolations(page)).toEqual([])
    const { x, y } = await grip()
    await page.mouse.click(x, y)
    await isOpen()
    await expect.poll(formHeight).toBe(before)
    await option('topic', 'billing').focus()
    await fold().hover()
    await page.mouse.down()
    expect(await option('topic', 'billing').evaluate(chip => chip === document.activeElement)).toBe(true)
    await page.mouse.up()
    await isFolded()
  })

  test('by keys, which do not submit meanwhile', async () => {
    await begin('keys', { questions: [label('topic', SIX), label('mood', ['good', 'bad'])], records })
    await option('topic', 'billing').click()
    await option('mood', 'good').click()
    await fold().focus()
    await press('Enter')
    await checkFolded()
    await press('Enter')
    await isOpen()
    await handle().focus()
    await press('Enter')
    await checkFolded()
    await press('ArrowUp')
    await isOpen()
    await press('Home')
    await checkFolded()
    // Moves from the record to the form.
    await page.locator('[data-pane=record]').focus()
    await press('q')
    await isOpen()
    await expect.poll(() => option('mood', 'good').evaluate(chip => chip === document.activeElement)).toBe(true)
    await expectRecordText(page, 'Record number 0.')
  })

  test('and opens each time a submit is stopped', async () => {
    for (const _ of ['first', 'second']) {
      await fold().click()
      await isFolded()
      // The button is marked as disabled, but can be pressed to see the reason.
      await page.getByTestId('submit').click({ force: true })
      await isOpen()
      await page.getByTestId('question-topic').getByRole('alert').waitFor()
    }
  })

  test('and stays folded for the next record', async () => {
    await fold().click()
    await page.getByTestId('next').click()
    await expectRecordText(page, 'Record number 1.')
    await checkFolded()
  })
})

describe('the sheet is made higher and lower', () => {
  beforeEach(() => openDataset(page, manyLabelsId))

  test('by mouse, within limits, for as long as the page is open', async () => {
    const before = await formHeight()
    const stored = await page.evaluate(() => JSON.stringify(localStorage))
    const from = await grip()
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x, from.y - 150, { steps: 5 })
    await expect.poll(async () => Math.round((await formHeight()) - before)).toBe(150)
    await page.mouse.move(from.x, 5, { steps: 5 })
    await expect.poll(formHeight).toBeCloseTo(844 * 0.75, 0)
    await page.mouse.move(from.x, from.y - 60, { steps: 5 })
    await page.mouse.up()
    await expect.poll(async () => Math.round((await formHeight()) - before)).toBe(60)
    await tellsHeight()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe(stored)
    await page.getByTestId('next').click()
    await expectRecordText(page, 'Record number 1.')
    expect(Math.round((await formHeight()) - before)).toBe(60)
    await page.reload()
    await currentRecord(page).waitFor()
    await expect.poll(formHeight).toBe(before)
  })

  test('by mouse, to the end of the window: it folds', async () => {
    const from = await grip()
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x, 842, { steps: 8 })
    await page.mouse.up()
    await checkFolded()
  })

  test('by keys, and says its height', async () => {
    const before = await formHeight()
    await handle().focus()
    await press('ArrowUp')
    await expect.poll(async () => Math.round((await formHeight()) - before)).toBe(40)
    await tellsHeight()
    await press('End')
    await expect.poll(formHeight).toBeCloseTo(844 * 0.75, 0)
    expect(await listHidden(page, ACTIONS)).toEqual([])
    for (let i = 0; i < 20 && (await fold().getAttribute('aria-expanded')) === 'true'; i++) {
      const height = await formHeight()
      await press('ArrowDown')
      await expect.poll(formHeight).toBeLessThan(height)
      expect(await listHidden(page, ACTIONS)).toEqual([])
    }
    await checkFolded()
    await expect.poll(() => page.getByTestId('position').textContent()).toBe('1')
  })

  test('by finger, and what a finger presses is large enough', async () => {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true })
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points })
    const tap = async () => {
      const box = await fold().boundingBox()
      await touch('touchStart', [{ x: (box?.x ?? 0) + 22, y: (box?.y ?? 0) + 22 }])
      await touch('touchEnd', [])
    }
    await tap()
    await checkFolded()
    await tap()
    await isOpen()
    const before = await formHeight()
    const { x, y } = await grip()
    await touch('touchStart', [{ x, y }])
    for (const by of [20, 60, 120]) await touch('touchMove', [{ x, y: y - by }])
    await touch('touchEnd', [])
    await expect.poll(async () => Math.round((await formHeight()) - before)).toBe(120)
    for (const target of [fold(), option('topic', 'label 1'), ...ACTIONS.map(one => page.locator(one))])
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
    await cdp.detach()
  })
})
