/** Every page and state in every theme, wide and narrow, without a violation of WCAG 2 A and AA that a program can find. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeBrowser } from './browser.ts'
import { type Everything, seedEverything } from './everything.ts'
import { SCREENS, takeSeats } from './screens.ts'
import { openWorld, type World } from './seed.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const THEMES = ['light', 'dark', 'contrast'] as const
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
let axe: string
let world: World
let everything: Everything
let seats: Awaited<ReturnType<typeof takeSeats>>
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  world = await openWorld()
  everything = await seedEverything(world)
  seats = await takeSeats(world)
}, 120_000)
afterAll(async () => {
  await closeBrowser()
  await world?.close()
})

/** A theme changes nothing but colours. */
const rulesFor = (theme: (typeof THEMES)[number]) =>
  theme === 'light' ? { type: 'tag', values: TAGS } : { type: 'rule', values: ['color-contrast'] }

async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found: string[] = []
  for (const theme of THEMES) {
    await page.evaluate(name => document.documentElement.setAttribute('data-theme', name), theme)
    // Templates in frames are not ours.
    const options = JSON.stringify({ runOnly: rulesFor(theme), iframes: false, resultTypes: ['violations'] })
    const violations = await page.evaluate<string[]>(
      `axe.run(${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ' ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 220))))`,
    )
    found.push(...violations.map(violation => `${theme}: ${violation}`))
  }
  return found
}

describe.each(WIDTHS)('$width wide', size => {
  test.each(SCREENS)('$name', { timeout: 120_000 }, async ({ as, open }) => {
    const { page, troubles } = seats[as]
    await page.setViewportSize(size)
    await open(page, everything)
    expect(await listViolations(page)).toEqual([])
    expect(troubles.splice(0)).toEqual([])
  })
})
