/** What the browser measures of itself: injected into the page before its own scripts. */
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    probe: { steps: number[]; keys: number[]; shownId(): string | null }
  }
}

/** From a key event to the frame after another record is on screen, or after the form has changed. */
export const probeScript = () => {
  const shownId = () => document.querySelector('[data-testid=record]:not([hidden])')?.getAttribute('data-record-id') ?? null
  const state = { steps: [] as number[], keys: [] as number[], shownId }
  window.probe = state
  const formText = () => document.querySelector('[data-pane=form] .qs')?.innerHTML ?? ''
  addEventListener(
    'keydown',
    event => {
      const started = event.timeStamp
      const id = shownId()
      const form = formText()
      let isFormSeen = false
      const look = () => {
        if (!isFormSeen && formText() !== form) {
          isFormSeen = true
          state.keys.push(performance.now() - started)
        }
        if (shownId() !== id) state.steps.push(performance.now() - started)
        else if (performance.now() - started < 3_000) requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    },
    { capture: true },
  )
}

export async function takeSteps(page: Page): Promise<number[]> {
  return page.evaluate(() => window.probe.steps.splice(0))
}

export async function takeKeys(page: Page): Promise<number[]> {
  return page.evaluate(() => window.probe.keys.splice(0))
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
