/** Pages of the web UI with a measuring script. */
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import type { World } from '../e2e/seed.ts'
import { probeScript } from './ui-probe.ts'

/** A visit is complete when `records` records are on screen. */
export async function openPage(
  context: BrowserContext,
  slowdown: number,
  records = 1,
): Promise<{ page: Page; session: CDPSession }> {
  const page = await context.newPage()
  await page.addInitScript(probeScript, records)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return { page, session }
}

export async function signedIn(url: string, world: World): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext({
    baseURL: `${url}/`,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
  })
  const { username, password } = world.annotator
  const answer = await context.request.post('api/v1/session', { data: { username, password } })
  if (!answer.ok()) throw new Error(`Signing in was answered with ${answer.status()}: ${await answer.text()}`)
  return context
}

export const isReady = (page: Page) => page.locator('[data-testid=record]:not([hidden])').waitFor()
