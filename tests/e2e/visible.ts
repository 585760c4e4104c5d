/** Visibility checks, tested point by point, so that covered parts are detected. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { waitForLayout } from './screen.ts'

export const RECORD = '[data-testid=record]:not([hidden])'
export const FORM = '[data-pane=form]'
export const ACTIONS = ['discard', 'save-draft', 'submit'].map(name => `[data-testid=${name}]`)
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

export interface Share {
  width: number
  height: number
}

const STEP_PX = 4

/** Visible part of an element as fractions of the viewport: its longest column and longest row of visible points. */
export const visibleShare = (page: Page, selector: string): Promise<Share> =>
  page.evaluate(
    ([wanted, step]) => {
      const element = document.querySelector(wanted)
      if (!element) throw new Error(`There is no ${wanted}.`)
      const box = element.getBoundingClientRect()
      const isSeen = (x: number, y: number) => {
        const hit = document.elementFromPoint(x, y)
        return hit !== null && element.contains(hit)
      }
      const pointsOf = (from: number, to: number) =>
        Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, at) => from + at * step + step / 2)
      const columns = pointsOf(Math.max(0, box.left), Math.min(innerWidth, box.right))
      const rows = pointsOf(Math.max(0, box.top), Math.min(innerHeight, box.bottom))
      const some = (points: number[]) => points.filter((_, at) => at % 10 === 5)
      const longest = (counts: number[]) => Math.max(0, ...counts) * step
      return {
        height: longest(some(columns).map(x => rows.filter(y => isSeen(x, y)).length)) / innerHeight,
        width: longest(some(rows).map(y => columns.filter(x => isSeen(x, y)).length)) / innerWidth,
      }
    },
    [selector, STEP_PX] as const,
  )

/** Returns the selectors whose element is not fully inside the viewport, or whose centre is covered. */
export const listHidden = (page: Page, selectors: string[]): Promise<string[]> =>
  page.evaluate(
    wanted =>
      wanted.filter(selector => {
        const element = document.querySelector(selector)
        if (!element) return true
        const { left, top, right, bottom } = element.getBoundingClientRect()
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        const isInside = left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5
        return !isInside || hit === null || !element.contains(hit)
      }),
    selectors,
  )

/** Parts of the page that need horizontal scrolling, except the toolbar. */
export const listTooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, main section, .bar, .questions, .action-bar, .sheet, .list')]
      .filter(element => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map(element => `${element.tagName} ${element.className}: ${element.scrollWidth} in ${element.clientWidth}`),
  )

/** Violations of WCAG 2 A and AA on the current page. */
export async function listViolations(page: Page): Promise<string[]> {
  await waitForLayout(page)
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate<string[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 160))))`,
  )
}
