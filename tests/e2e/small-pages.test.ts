/** The bulk view and the settings in short or narrow windows. */
import { beforeAll, expect, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { expectSaved, openBulkView, tick } from './bulk-view.ts'
import { option, page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'
import { listHidden, listTooWide, listViolations, visibleShare } from './visible.ts'

takeDesk({ as: 'admin' })

const ACTIONS = ['discard', 'save-draft', 'submit', 'bulk-toggle'].map(name => `[data-testid=${name}]`)
const LABELS = Array.from({ length: 40 }, (_, i) => `label ${i + 1}`)
let id: string
beforeAll(async () => {
  id = await seed(world, { name: 'bulk', questions: [label('topic', LABELS)], records: texts(30), guidelines: 'Choose one.' })
})

test.each([
  { width: 720, height: 450, least: { width: 0.4, height: 0.5 } },
  { width: 844, height: 390, least: { width: 0.4, height: 0.5 } },
  { width: 768, height: 1024, least: { width: 0.9, height: 0.4 } },
  { width: 390, height: 844, least: { width: 0.9, height: 0.35 } },
  { width: 320, height: 568, least: { width: 0.9, height: 0.25 } },
  { width: 640, height: 360, least: { width: 0.4, height: 0.5 } },
])('bulk at $width × $height: the list keeps its room, and the form can be used', async ({ width, height, least }) => {
  await page.setViewportSize({ width, height })
  await openBulkView(id)
  const share = await visibleShare(page, '[data-pane=record]')
  expect(share.width).toBeGreaterThanOrEqual(least.width)
  expect(share.height).toBeGreaterThanOrEqual(least.height)
  expect(await listHidden(page, ACTIONS)).toEqual([])
  expect(await listTooWide(page)).toEqual([])
  await tick(0)
  await option('topic', 'label 40').click()
  await page.getByTestId('submit').click()
  await expectSaved()
})

test('phones and 400 % zoom: the bulk view is opened and left, and the overview is one step away', async () => {
  for (const [width, height] of [
    [390, 844],
    [320, 568],
    [320, 256],
  ] as const) {
    await page.setViewportSize({ width, height })
    await openDataset(page, id)
    await page.getByTestId('bulk-toggle').click()
    await page.getByTestId('tick').first().waitFor()
    expect(
      await listHidden(page, [
        '[data-testid=submit]',
        '[data-testid=bulk-toggle]',
        '[data-testid=to-overview]',
        '.turn > :last-child',
      ]),
    ).toEqual([])
    expect(await listTooWide(page)).toEqual([])
    expect(await listViolations(page)).toEqual([])
    await page.getByTestId('focus-toggle').click()
    await page.getByTestId('position').waitFor()
    await page.getByTestId('to-overview').click()
    await page.waitForURL(/overview/)
    await page.getByTestId('to-annotate').click()
    await page.waitForURL(/annotation-mode/)
  }
})

test('bulk in a tall, narrow window: the form folds, and opens when something is missing', async () => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await openBulkView(id)
  await page.getByTestId('sheet-fold').click()
  expect(await page.locator('.questions').isVisible()).toBe(false)
  await tick(0)
  await page.getByTestId('submit').click()
  await page.getByTestId('question-topic').getByRole('alert').waitFor()
})

const TABS = ['general', 'fields', 'questions', 'danger-zone']
test.each([
  { width: 320, height: 568 },
  { width: 640, height: 360 },
  { width: 720, height: 450 },
  { width: 844, height: 390 },
])('settings at $width × $height: every control can be scrolled to, and nothing sticks out', async ({ width, height }) => {
  await page.setViewportSize({ width, height })
  for (const tab of TABS) {
    await page.goto(`dataset/${id}/settings?tab=${tab}`)
    await page.locator('main :is(h1, h2)').first().waitFor()
    expect(await listTooWide(page)).toEqual([])
    const controls = page.locator('main :is(button, input, textarea, select):visible')
    for (const control of [controls.first(), controls.last()]) {
      await control.scrollIntoViewIfNeeded()
      const box = await control.boundingBox()
      expect(box && box.y >= 0 && box.y + box.height <= height + 1, `${tab}: ${JSON.stringify(box)}`).toBe(true)
    }
  }
})
