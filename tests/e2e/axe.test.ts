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

/** Overlays that are checked on their own; they are in the top layer. */
const OVER = ['dialog[open]', ':popover-open']

/**
 * Looks of texts whose contrast has been checked, with the colours of all elements around them. A look that comes again, in another
 * screen or width, is not measured again, because contrast is half of the cost.
 */
const seenLooks = new Set<string>()

/** Finds the texts of the page, keeps them in `window.texts`, and returns the look of each. */
const LIST_LOOKS = `(over => {
  const isText = element =>
    element.matches('input, select, textarea') || [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  const lookOf = element => {
    if (element === null) return ''
    const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(element)
    const own = [element.localName, element.className, backgroundColor, backgroundImage, opacity, filter, position]
    return own.join() + '<' + lookOf(element.parentElement)
  }
  const roots = over ? [...document.querySelectorAll(over)] : [document.body]
  window.texts = roots.flatMap(root => [root, ...root.querySelectorAll('*')]).filter(one => isText(one) && one.checkVisibility())
  return window.texts.map(element => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
    return [color, fontSize, fontWeight, textShadow, element.matches(':disabled'), lookOf(element)].join()
  })
})`

/** Returns the violations, in elements of an expression of the page. */
const runAxe = (page: Page, elements: string, options: Record<string, unknown>) =>
  page.evaluate<string[]>(
    // Excludes templates in frames, which are user content.
    `axe.run(${elements}, ${JSON.stringify({ ...options, iframes: false, resultTypes: ['violations'] })}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ' ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 220))))`,
  )

/** Themes differ in colours only, so that one theme is enough for all other rules. */
async function listViolations(page: Page, isOver: boolean): Promise<string[]> {
  const over = OVER.join()
  const found: string[] = []
  for (const theme of THEMES) {
    await page.evaluate(name => document.documentElement.setAttribute('data-theme', name), theme)
    if (theme === THEMES[0]) {
      const options = { runOnly: { type: 'tag', values: TAGS }, rules: { 'color-contrast': { enabled: false } } }
      found.push(...(await runAxe(page, isOver ? `[...document.querySelectorAll('${over}')]` : 'document', options)))
    }
    const looks = await page.evaluate<string[]>(`${LIST_LOOKS}(${JSON.stringify(isOver ? over : null)})`)
    const unseen = looks.flatMap((look, i) => (seenLooks.has(look) ? [] : [i]))
    for (const look of looks) seenLooks.add(look)
    if (unseen.length === 0) continue
    const options = { runOnly: { type: 'rule', values: ['color-contrast'] } }
    const violations = await runAxe(page, `${JSON.stringify(unseen)}.map(i => window.texts[i])`, options)
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
