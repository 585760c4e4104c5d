/** Every page of the web UI in every distinct state, for checks and screenshots of all pages. */
import type { Page } from 'playwright-core'
import { enter, type Seat, type SeatOptions, takeSeat } from './browser.ts'
import { type Onlooker, type Screen, waitForLayout } from './screen.ts'
import { ADMIN } from './screens-admin.ts'
import { ANNOTATING } from './screens-annotating.ts'
import { EXCHANGE } from './screens-exchange.ts'
import { OVERVIEW } from './screens-overview.ts'
import { PEOPLE } from './screens-people.ts'
import { SESSION } from './screens-session.ts'
import { SETTINGS } from './screens-settings.ts'
import { WIZARD } from './screens-wizard.ts'
import type { World } from './seed.ts'

/** Expected errors: sign-in required, sign-in failed, dataset not found, name taken, hub unavailable, network offline. */
const EXPECTED = [/40[1349]/, /503.*\/api\/v1\/hub\//, /ERR_INTERNET_DISCONNECTED/]

/** Opens a signed-in page for each onlooker. */
export async function takeSeats(world: World, options: SeatOptions = {}): Promise<Record<Onlooker, Seat>> {
  const { server, owner, admin, annotator } = world
  const newcomer = { username: 'nora', password: 'nora-password' }
  await owner.createUser({ body: { ...newcomer, first_name: 'Nora', role: 'admin' } })
  // A second workspace, because the choice of workspace is shown only if there are several.
  const { id: workspace_id } = await owner.createWorkspace({ body: { name: 'care-team' } })
  await owner.addWorkspaceUser({ params: { workspace_id }, body: { user_id: admin.id } })
  const seat = async (person: { username: string; password: string } | null) => {
    const taken = await takeSeat(server.url, { allow: EXPECTED, ...options })
    if (person) await enter(taken.context, world, person)
    return taken
  }
  return {
    nobody: await seat(null),
    newcomer: await seat(newcomer),
    lead: await seat(admin),
    annotator: await seat(annotator),
    owner: await seat(server),
  }
}

export interface Look {
  theme?: 'light' | 'dark' | 'contrast'
  language?: string
  timeZone?: string
}

/** Changes the look of the open page, as another tab of the same user would. */
export async function dress(page: Page, look: Look): Promise<void> {
  await page.evaluate(chosen => {
    const person = localStorage.getItem('postil.signed-in')
    const key = person === null ? 'postil.preferences' : `postil.${person}.preferences`
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? '{}'), ...chosen }))
    dispatchEvent(new StorageEvent('storage', { key }))
  }, look)
  const { language } = look
  if (language) await page.waitForFunction(wanted => document.documentElement.lang === wanted, language)
}

const PUBLIC: Screen[] = [
  {
    name: 'sign-in',
    as: 'nobody',
    open: async page => {
      await page.goto('sign-in')
      await page.getByTestId('sign-in-submit').waitFor()
    },
  },
  {
    name: 'sign-in refused',
    as: 'nobody',
    open: async page => {
      await page.goto('sign-in')
      await page.getByTestId('sign-in-username').fill('nobody')
      await page.getByTestId('sign-in-password').fill('wrong-password')
      await page.getByTestId('sign-in-submit').click()
      await page.getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'nothing shared',
    as: 'nobody',
    open: async page => {
      await page.goto('share-your-progress?card=none')
      await page.getByTestId('share-message').waitFor()
    },
  },
]

async function openEmptyHome(page: Page) {
  await page.goto('')
  await page.getByTestId('create-sample').waitFor()
  await waitForLayout(page)
}

async function openHome(page: Page) {
  await page.goto('')
  await page.getByTestId('dataset-card').first().waitFor()
  await waitForLayout(page)
}

const HOME: Screen[] = [
  { name: 'home of a lead', as: 'lead', open: openHome },
  { name: 'home of an annotator', as: 'annotator', open: openHome },
  { name: 'empty home', as: 'newcomer', open: openEmptyHome },
  {
    name: 'home without a match',
    as: 'lead',
    open: async page => {
      await openHome(page)
      await page.getByTestId('search-input').fill('nothing like this')
      await page.getByTestId('clear-filters').waitFor()
    },
  },
  ...['workspace-filter', 'sort'].map(
    (handle): Screen => ({
      name: `home menu: ${handle}`,
      as: 'lead',
      isOver: true,
      open: async page => {
        await openHome(page)
        await page.getByTestId(handle).click()
        await waitForLayout(page)
      },
    }),
  ),
  {
    name: 'offer of the sample dataset',
    as: 'lead',
    isOver: true,
    open: async page => {
      await openHome(page)
      await page.getByTestId('create-sample').click()
      await page.getByTestId('sample-workspace').waitFor()
    },
  },
  {
    name: 'no place for the sample dataset',
    as: 'newcomer',
    isOver: true,
    open: async page => {
      await openEmptyHome(page)
      await page.getByTestId('create-sample').click()
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  {
    name: 'signing in again',
    as: 'newcomer',
    isOver: true,
    open: async page => {
      await openEmptyHome(page)
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      // Causes the list to be loaded again.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.getByTestId('sign-in-now').click()
      await page.getByTestId('sign-in-again').waitFor()
      await page.context().addCookies(cookies)
    },
  },
  {
    name: 'new version',
    as: 'annotator',
    open: async page => {
      await openHome(page)
      await page.route('**/build.json', route => route.fulfill({ json: { id: 'another build' } }))
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.getByTestId('new-version').waitFor()
      await page.unroute('**/build.json')
    },
  },
  {
    name: 'no such page',
    as: 'annotator',
    open: async page => {
      await page.goto('no/such/page')
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  },
]

export const SCREENS: Screen[] = [
  ...PUBLIC,
  ...HOME,
  ...ANNOTATING,
  ...SETTINGS,
  ...EXCHANGE,
  ...OVERVIEW,
  ...ADMIN,
  ...PEOPLE,
  ...WIZARD,
  ...SESSION,
]
