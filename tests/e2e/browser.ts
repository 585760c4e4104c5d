/** A real browser for tests. Requests to other origins and console errors make a test fail. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Person, World } from './seed.ts'
import { closeAtWorkerEnd } from './worker-end.ts'

/** Factor by which the page is slowed down, to find missing waits in tests. */
const SLOW_CPU = Number(process.env.POSTIL_TEST_SLOW_CPU ?? 1)

/** Timeout for each action on the page: half of that of a test, so that the message names the step. */
const STEP_MS = 60_000

let browser: Promise<Browser> | undefined

/** One browser for all test files of a worker; each test opens its own contexts. */
export async function openBrowser(): Promise<Browser> {
  if (browser !== undefined) return browser
  browser = launch()
  closeAtWorkerEnd(closeBrowser)
  return browser
}

const launch = () =>
  chromium.launch({
    executablePath: process.env.POSTIL_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A process of its own for each site, as in browsers with a window: the headless shell does without on small machines.
      '--site-per-process',
    ],
  })

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** Ends what a test file has left open, also after a failure. */
export async function closeContexts(): Promise<void> {
  for (const context of (await browser)?.contexts() ?? []) await context.close()
}

export interface Seat {
  context: BrowserContext
  page: Page
  /** Console messages that are expected. */
  allow: RegExp[]
  /** Errors so far: console errors, policy violations, requests to other origins. */
  troubles: string[]
}

export interface SeatOptions {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  language?: string
  /** A phone with a touch screen. */
  isTouched?: boolean
  /** Console messages that this test expects. */
  allow?: RegExp[]
  /** `block` simulates plain HTTP, where browsers have no service workers. */
  serviceWorkers?: 'allow' | 'block'
}

const WIDTH = 1440
const HEIGHT = 900

/** Opens a new browser context with a page. */
export async function takeSeat(url: string, options: SeatOptions = {}): Promise<Seat> {
  const {
    width = WIDTH,
    height = HEIGHT,
    theme = 'light',
    language = 'en-US',
    allow = [],
    serviceWorkers = 'allow',
    isTouched = false,
  } = options
  const context = await (await openBrowser()).newContext({
    baseURL: `${url}/`,
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    serviceWorkers,
    hasTouch: isTouched,
    isMobile: isTouched,
  })
  context.setDefaultTimeout(STEP_MS)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  if (SLOW_CPU > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU })
  const troubles: string[] = []
  const seat: Seat = { context, page, allow, troubles }
  const note = (text: string) => {
    if (!seat.allow.some(pattern => pattern.test(text))) troubles.push(text)
  }
  page.on('pageerror', error => note(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('request', request => {
    const target = new URL(request.url())
    if (!['data:', 'blob:'].includes(target.protocol) && target.origin !== new URL(url).origin)
      note(`leaves the origin: ${request.url()}`)
  })
  return seat
}

const HEARD = ['dialog', 'request', 'requestfailed', 'requestfinished', 'response'] as const

/**
 * Empties a browser context for the next test: what is stored, routes, listeners, other tabs, the size. A page that is kept takes
 * less than half of the processor time of a new one. Only scripts that a test has added to every page would stay.
 */
export async function clearSeat({ context, page, troubles }: Seat, url: string): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const place of [page, context]) await place.unrouteAll({ behavior: 'ignoreErrors' })
  for (const name of HEARD) page.removeAllListeners(name)
  await context.setOffline(false)
  await page.goto('about:blank')
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'all' })
  await session.detach()
  await context.clearCookies()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: WIDTH, height: HEIGHT })
  troubles.splice(0)
}

/** Through the form, which leaves the page on the home page. */
export async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('sign-in')
  await page.getByTestId('sign-in-username').fill(username)
  await page.getByTestId('sign-in-password').fill(password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
}

/** Gives the browser context a session without opening a page. The contexts of a person share one session until a test ends it. */
export async function enter(context: BrowserContext, { sessions }: World, { username, password }: Person): Promise<void> {
  const kept = sessions.get(username)
  if (kept !== undefined) {
    await context.addCookies(kept)
    if ((await context.request.get('api/v1/me')).ok()) return
  }
  const answer = await context.request.post('api/v1/session', { data: { username, password } })
  if (answer.status() !== 201) throw new Error(`${username} cannot sign in: ${answer.status()} ${await answer.text()}`)
  sessions.set(username, await context.cookies())
}
