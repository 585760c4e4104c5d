/** Checks every page and state in every theme, wide and narrow, for violations of WCAG 2 A and AA that axe can detect. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { type Everything, seedEverything } from './everything.ts'
import { waitForLayout } from './screen.ts'
import { SCREENS, takeSeats } from './screens.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const THEMES = ['light', 'dark', 'contrast'] as const
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

takeWorld(OWN_SERVER)

let axe: string
let everything: Everything
let seats: Awaited<ReturnType<typeof takeSeats>>
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  everything = await seedEverything(world)
  seats = await takeSeats(world)
})

/** Themes differ in colours only, so other themes are checked for contrast only. */
const rulesFor = (theme: (typeof THEMES)[number]) =>
  theme === 'light' ? { type: 'tag', values: TAGS } : { type: 'rule', values: ['color-contrast'] }

/** Overlays that are checked on their own; they are in the top layer. */
const OVER = ['dialog[open]', ':popover-open']

async function listViolations(page: Page, isOver: boolean): Promise<string[]> {
  const found: string[] = []
  for (const theme of THEMES) {
    await page.evaluate(name => document.documentElement.setAttribute('data-theme', name), theme)
    // Excludes templates in frames, which are user content.
    const options = JSON.stringify({ runOnly: rulesFor(theme), iframes: false, resultTypes: ['violations'] })
    const where = isOver ? `[...document.querySelectorAll('${OVER}')]` : 'document'
    const violations = await page.evaluate<string[]>(
      `axe.run(${where}, ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ' ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 220))))`,
    )
    found.push(...violations.map(violation => `${theme}: ${violation}`))
  }
  return found
}

/** Each screen is opened once and then checked in all themes and widths without a reload. */
test.each(SCREENS)('$name', async ({ as, open, leave, isWide, isOver = false }) => {
  const { page, troubles } = seats[as]
  await page.setViewportSize(WIDE)
  await open(page, everything)
  await page.evaluate(axe)
  const found = (await listViolations(page, isOver)).map(violation => `wide, ${violation}`)
  if (!isWide) {
    await page.setViewportSize(NARROW)
    await waitForLayout(page)
    found.push(...(await listViolations(page, isOver)).map(violation => `narrow, ${violation}`))
  }
  await leave?.(page)
  expect(found).toEqual([])
  expect(troubles.splice(0)).toEqual([])
})
