/** Measurements in the browser: a script that is injected before those of the page. */
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    probe: { steps: number[]; keys: number[] }
  }
}

/**
 * Measures the time from a key event to the frame after another record is on screen, or after the form has changed. Also measures
 * the time from the start of the visit to the frame after its first record is readable, and after its records are there with
 * their form, and logs it to the console. Modifier keys alone are ignored, and a key ends the wait for the previous one.
 */
export const probeScript = (records: number) => {
  const shownId = () => document.querySelector('[data-testid=record]:not([hidden])')?.getAttribute('data-record-id') ?? null
  const state: Window['probe'] = { steps: [], keys: [] }
  window.probe = state
  const tell = (what: string) => requestAnimationFrame(() => console.debug(`records ${what}`, performance.now()))
  let isShown = false
  const lookForRecords = () => {
    const isReady = document.querySelectorAll('[data-testid=record]:not([hidden])').length >= records
    if (!isShown && (isReady || document.querySelector('#early .record'))) {
      isShown = true
      tell('shown')
    }
    if (isReady) tell('ready')
    else requestAnimationFrame(lookForRecords)
  }
  requestAnimationFrame(lookForRecords)
  let presses = 0
  const onKey = (event: KeyboardEvent) => {
    if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const mine = ++presses
    const id = shownId()
    let isFormSeen = false
    let hasFormChanged = false
    const panes = document.querySelectorAll('[data-pane=form] .questions, [data-pane=record]')
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

export interface Visit {
  /** Milliseconds from the start until the first record is readable. */
  shown: number
  /** Milliseconds from the start until the records can be answered. */
  ready: number
}

/**
 * Does not query the page meanwhile, because the script that playwright injects to find elements takes as long to compile as
 * ours.
 */
export async function visit(page: Page, path: string): Promise<Visit> {
  const hear = async (what: string) => {
    const message = await page.waitForEvent('console', one => one.text().startsWith(`records ${what}`))
    return Number(message.text().split(' ').at(-1))
  }
  const heard = Promise.all([hear('shown'), hear('ready')])
  await page.goto(path, { waitUntil: 'commit' })
  const [shown, ready] = await heard
  return { shown, ready }
}

export const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN)

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
