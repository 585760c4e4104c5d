import { beforeAll, test } from 'vitest'
import { openDataset } from './annotation-page.ts'
import { page, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'admin' })
const LABELS = Array.from({ length: 40 }, (_, i) => `label ${i + 1}`)
let id: string
beforeAll(async () => {
  id = await seed(world, {
    name: 'bulk of letters',
    questions: [label('topic', LABELS)],
    records: texts(30),
    guidelines: 'Choose one.',
  })
})
const D = '/tmp/leads-shots'
test('shots', async () => {
  for (const [w, h, theme] of [
    [390, 844, 'light'],
    [320, 568, 'dark'],
    [320, 256, 'light'],
    [1440, 900, 'light'],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width: w, height: h })
    await openDataset(page, id)
    await page.screenshot({ path: `${D}/focus-${w}-${h}.png` })
    await page.goto(`dataset/${id}/annotation-mode?page=1~10`)
    await page.getByTestId('tick').first().waitFor()
    await page.getByTestId('tick').first().click()
    await page.screenshot({ path: `${D}/bulk-${w}-${h}.png` })
    await page.goto(`dataset/${id}/overview`)
    await page.locator('main h1, main h2').first().waitFor()
    await page.screenshot({ path: `${D}/overview-${w}-${h}.png` })
  }
})
