/** What the browser measures of itself: injected into the page before its own scripts. */
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    probe: { steps: number[]; keys: number[] }
  }
}

/**
 * From a key event to the frame after another record is on screen, or after the form has changed; and from the start of the
 * visit to the frame after its records are there, which it says on the console. Modifiers alone do nothing, and a key ends the wait
 * for the one before it.
 */
export const probeScript = (records: number) => {
  const shownId = () => document.querySelector('[data-testid=record]:not([hidden])')?.getAttribute('data-record-id') ?? null
  const state: Window['probe'] = { steps: [], keys: [] }
  window.probe = state
  const lookForRecords = () => {
    if (document.querySelectorAll('[data-testid=record]:not([hidden])').length < records) requestAnimationFrame(lookForRecords)
    else requestAnimationFrame(() => console.debug('records shown', performance.now()))
  }
  requestAnimationFrame(lookForRecords)
  let presses = 0
  const onKey = (event: KeyboardEvent) => {
    if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const mine = ++presses
    const id = shownId()
    let isFormSeen = false
    let hasFormChanged = false
    const panes = document.querySelectorAll('[data-pane=form] .qs, [data-pane=record]')
    const observer = new MutationObserver(() => {
      hasFormChanged = true
    })
    for (const pane of panes) observer.observe(pane, { subtree: true, childList: true, attributes: true, characterData: true })
    const look = () => {
      if (mine !== presses) return observer.disconnect()
      const passed = performance.now() - event.timeStamp
      if (!isFormSeen && hasFormChanged) {
        isFormSeen = true
        state.keys.push(passed)
      }
      const hasMoved = shownId() !== id
      if (hasMoved) state.steps.push(passed)
      if (!hasMoved && passed < 3_000) requestAnimationFrame(look)
      else observer.disconnect()
    }
    requestAnimationFrame(look)
  }
  addEventListener('keydown', onKey, { capture: true })
}

export async function takeSteps(page: Page): Promise<number[]> {
  return page.evaluate(() => window.probe.steps.splice(0))
}

export async function takeKeys(page: Page): Promise<number[]> {
  return page.evaluate(() => window.probe.keys.splice(0))
}

/**
 * A visit, from its start until its records are on screen, in ms. The page is left alone meanwhile: what playwright puts into it to
 * look for elements is itself a script that takes as long to compile as ours.
 */
export async function visit(page: Page, path: string): Promise<number> {
  const shown = page.waitForEvent('console', message => message.text().startsWith('records shown'))
  await page.goto(path, { waitUntil: 'commit' })
  return Number((await shown).text().split(' ').at(-1))
}

export const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN)

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
