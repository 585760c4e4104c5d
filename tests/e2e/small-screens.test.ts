/** Phones, short windows and 200 % zoom: the record is readable beside or above the form, and the form is usable. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { option, page, press, takeDesk, world } from './desk.ts'
import { multiLabel, ranking, rating, span, text } from './question-plans.ts'
import { label, seed, texts } from './seed.ts'
import { ACTIONS, FORM, listHidden, listTooWide, listViolations, RECORD, visibleShare } from './visible.ts'

takeDesk({ as: 'admin' })

const LONG = 'The parcel came late, and the box was wet. '.repeat(120)
const names = (count: number) => Array.from({ length: count }, (_, i) => `label ${i + 1}`)
const records = texts(3, i => `Record number ${i}. ${LONG}`)
const guidelines = 'Choose what the letter is about.'
const SIX = ['repair', 'delivery', 'warranty', 'advice before buying', 'billing', 'praise']
const MIXED = [
  label('topic', SIX),
  multiLabel('parts', names(12)),
  rating('urgency', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  ranking('replies', ['first', 'second', 'third', 'fourth']),
  text('summary'),
  span('places', ['person', 'place', 'product']),
]

const ids: Record<string, string> = {}
beforeAll(async () => {
  ids.forty = await seed(world, { name: 'forty', questions: [label('topic', names(40))], records, guidelines })
  ids.mixed = await seed(world, { name: 'mixed', questions: MIXED, records, guidelines })
  ids.six = await seed(world, {
    name: 'six',
    questions: [label('topic', SIX), label('mood', ['good', 'bad'])],
    records,
    guidelines,
  })
})

async function openAt(width: number, height: number, dataset: string, query = '') {
  await page.setViewportSize({ width, height })
  await openDataset(page, ids[dataset] ?? '', query)
}

/** True if the form is beside the record, false if it is below. */
const isBeside = () =>
  page.evaluate(
    ([form, record]) => {
      const [left, right] = [document.querySelector(record), document.querySelector(form)].map(one =>
        one?.getBoundingClientRect(),
      )
      return left !== undefined && right !== undefined && right.left >= left.right - 1
    },
    [FORM, RECORD] as const,
  )

const STACKED = [
  { width: 390, height: 844, dataset: 'forty' },
  { width: 390, height: 844, dataset: 'mixed' },
  { width: 320, height: 568, dataset: 'forty' },
  { width: 320, height: 568, dataset: 'mixed' },
  { width: 768, height: 1024, dataset: 'forty' },
]
const BESIDE = [
  { width: 720, height: 450, dataset: 'six' },
  { width: 720, height: 450, dataset: 'mixed' },
  { width: 844, height: 390, dataset: 'forty' },
  { width: 640, height: 360, dataset: 'mixed' },
  { width: 640, height: 360, dataset: 'forty' },
  { width: 568, height: 320, dataset: 'six' },
  { width: 960, height: 450, dataset: 'mixed' },
]

async function checkForm() {
  expect(await listHidden(page, ACTIONS)).toEqual([])
  expect(await listTooWide(page)).toEqual([])
  const last = '[data-testid=question-topic] [data-testid=option]:is([data-value=praise], [data-value="label 40"])'
  await page.locator(last).scrollIntoViewIfNeeded()
  expect(await listHidden(page, [last, ...ACTIONS])).toEqual([])
  expect(await listViolations(page)).toEqual([])
}

describe('the record keeps its room', () => {
  test.each(STACKED)('$width × $height, $dataset: above the form', async ({ width, height, dataset }) => {
    await openAt(width, height, dataset)
    expect((await visibleShare(page, RECORD)).height).toBeGreaterThanOrEqual(0.4)
    expect((await visibleShare(page, FORM)).height).toBeLessThanOrEqual(0.46)
    await checkForm()
  })
  test.each(BESIDE)('$width × $height, $dataset: beside the form', async ({ width, height, dataset }) => {
    await openAt(width, height, dataset)
    await expect.poll(isBeside).toBe(true)
    const share = await visibleShare(page, RECORD)
    expect(share.width).toBeGreaterThanOrEqual(0.4)
    expect(share.height).toBeGreaterThanOrEqual(0.6)
    await checkForm()
  })
  test('1440 × 900: two columns, all questions, nothing to fold', async () => {
    await openAt(1440, 900, 'mixed')
    await expect.poll(isBeside).toBe(true)
    expect((await page.locator(FORM).boundingBox())?.height).toBe(900 - 44)
    await expect.poll(() => page.locator('.question:visible').count()).toBe(MIXED.length)
    expect(await page.getByTestId('sheet-handle').isVisible()).toBe(false)
    expect(await page.getByTestId('sheet-fold').isVisible()).toBe(false)
    expect(await listHidden(page, ACTIONS)).toEqual([])
  })
})

test.each([
  { width: 390, height: 844 },
  { width: 320, height: 568 },
  { width: 844, height: 390 },
])('Tab through 40 labels at $width × $height: the focused one is whole in view, with its ring', async ({ width, height }) => {
  await openAt(width, height, 'forty')
  await page.locator('[data-pane=record]').focus()
  await press('q')
  for (const name of names(40)) {
    const isFocused = () => option('topic', name).evaluate(chip => chip === document.activeElement)
    await expect.poll(isFocused).toBe(true)
    expect(await listHidden(page, [`[data-testid=option][data-value="${name}"]`])).toEqual([])
    const ring = await option('topic', name).evaluate(chip => {
      const [own, list] = [chip.getBoundingClientRect(), chip.closest('.questions')?.getBoundingClientRect()]
      return list ? Math.min(own.top - list.top, list.bottom - own.bottom) : 0
    })
    expect(ring).toBeGreaterThanOrEqual(3)
    await press('Tab')
  }
})

test('a question that comes after a long one is shown from its beginning', async () => {
  await openAt(320, 568, 'mixed')
  await page.getByRole('button', { name: '4 Rank replies' }).click()
  await page.locator('.questions').evaluate(list => list.scrollTo(0, 1000))
  await page.getByRole('button', { name: '2 Which parts' }).click()
  await expect.poll(() => page.locator('.questions').evaluate(list => list.scrollTop)).toBe(0)
  expect(await listHidden(page, ['[data-testid=question-parts] h3'])).toEqual([])
})
