/** Every page of the web UI in every state that looks different: what checks of all pages go through. */
import type { Page } from 'playwright-core'
import { openDataset } from './annotating.ts'
import { type Seat, signIn, takeSeat } from './browser.ts'
import type { Everything } from './everything.ts'
import type { World } from './seed.ts'

/** A newcomer leads nothing yet. */
type Onlooker = 'nobody' | 'newcomer' | 'lead' | 'annotator'

/** On the way: signing in is asked for, a sign-in is refused, a dataset is gone. */
const EXPECTED = [/40[134]/]

/** One seat for each onlooker, signed in. */
export async function takeSeats({ server, owner, admin, annotator }: World): Promise<Record<Onlooker, Seat>> {
  const newcomer = { username: 'nora', password: 'nora-password' }
  await owner.createUser({ body: { ...newcomer, first_name: 'Nora', role: 'admin' } })
  const seat = async (person: { username: string; password: string } | null) => {
    const taken = await takeSeat(server.url, { allow: EXPECTED })
    if (person) await signIn(taken.page, person.username, person.password)
    return taken
  }
  return { nobody: await seat(null), newcomer: await seat(newcomer), lead: await seat(admin), annotator: await seat(annotator) }
}

export interface Screen {
  name: string
  as: Onlooker
  open(page: Page, everything: Everything): Promise<void>
}

const settled = (page: Page) => page.waitForTimeout(250)
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
  await settled(page)
}

async function openSettings(page: Page, id: string, tab: string) {
  await page.goto(`dataset/${id}/settings?tab=${tab}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await settled(page)
}

/** Drawn to the end: the template has told its height, the markdown is parsed. */
async function openRecord(page: Page, { datasetId }: Everything, query = '') {
  await openDataset(page, datasetId, query)
  await page.locator('[data-testid=field-card] iframe:not(.waiting)').waitFor()
  await settled(page)
}

/** From the menu of the record. */
const openDrawer = (at: number) => async (page: Page, everything: Everything) => {
  await openRecord(page, everything, '?page=2')
  await page.locator('.rec-h [aria-haspopup=menu]').last().click()
  await page.getByRole('menuitem').nth(at).click()
  await page.getByRole('dialog').first().waitFor()
}

const dialogs = { m: 'metadata', c: 'comments', g: 'go to', '?': 'keys', 'Control+k': 'palette' }

export const SCREENS: Screen[] = [
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
  ...(['lead', 'annotator'] as const).map(
    (as): Screen => ({
      name: `home of a ${as}`,
      as,
      open: async page => {
        await page.goto('')
        await page.getByTestId('dataset-card').first().waitFor()
        await settled(page)
      },
    }),
  ),
  {
    name: 'empty home',
    as: 'newcomer',
    open: async page => {
      await page.goto('')
      await page.getByTestId('create-sample').waitFor()
      await settled(page)
    },
  },
  {
    name: 'home without a match',
    as: 'lead',
    open: async page => {
      await page.goto('')
      await page.getByTestId('search-input').fill('nothing like this')
      await page.getByTestId('clear-filters').waitFor()
    },
  },
  { name: 'record', as: 'annotator', open: openRecord },
  { name: 'record of a lead', as: 'lead', open: openRecord },
  {
    name: 'record with what is missing',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything, '?page=2')
      await press(page, 'Enter')
    },
  },
  {
    name: 'record with a search',
    as: 'annotator',
    open: (page, everything) => openRecord(page, everything, '?search=lamp&sort=record.inserted_at.desc&metadata=language.en'),
  },
  {
    name: 'similar records',
    as: 'annotator',
    open: (page, everything) =>
      openRecord(page, everything, `?similarity=record.${everything.recordIds[3]}.vector.meaning.limit.10.order.most`),
  },
  {
    name: 'empty queue',
    as: 'annotator',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/annotation-mode?status=discarded`)
      await page.getByTestId('empty').waitFor()
    },
  },
  {
    name: 'filters',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything, '?metadata=language.en')
      await press(page, 'f')
      await page.getByTestId('filter-badge').first().click()
      await settled(page)
    },
  },
  ...['queue-menu', 'sort', 'views', 'account', 'theme'].map(
    (handle): Screen => ({
      name: `menu: ${handle}`,
      as: 'annotator',
      open: async (page, everything) => {
        await openRecord(page, everything)
        await page.getByTestId(handle).first().click()
        await settled(page)
      },
    }),
  ),
  ...Object.entries(dialogs).map(
    ([key, name]): Screen => ({
      name,
      as: 'annotator',
      open: async (page, everything) => {
        await openRecord(page, everything)
        await press(page, key)
        await page.getByRole('dialog').first().waitFor()
      },
    }),
  ),
  { name: 'history', as: 'annotator', open: openDrawer(1) },
  {
    name: 'recent records',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything)
      await page.locator('.m-h > .ib').dispatchEvent('click')
      await page.getByRole('dialog').first().waitFor()
    },
  },
  {
    name: 'labels of a mark',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything)
      await page.getByTestId('span').first().click()
      await page.getByTestId('label-list').waitFor()
      await settled(page)
    },
  },
  {
    name: 'signing in again',
    as: 'newcomer',
    open: async page => {
      await page.goto('')
      await page.getByTestId('create-sample').waitFor()
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      // The list is asked for again.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await page.getByTestId('sign-in-again').waitFor()
      await page.context().addCookies(cookies)
    },
  },
  {
    name: 'panels open',
    as: 'annotator',
    open: async (page, everything) => {
      await openRecord(page, everything)
      await press(page, 'i', 'p')
    },
  },
  {
    name: 'record that is gone',
    as: 'annotator',
    open: async page => {
      await page.goto('dataset/00000000-0000-7000-8000-000000000000/annotation-mode')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    },
  },
  {
    name: 'bulk',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/annotation-mode?page=1~10`)
      await page.getByTestId('record').first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'bulk with ticked records',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/annotation-mode?page=1~10`)
      await page.getByTestId('record').first().waitFor()
      // Not on a phone.
      if (await page.getByTestId('select-all').isVisible()) await page.getByTestId('select-all').click()
      await settled(page)
    },
  },
  {
    name: 'settings: before a dataset is deleted',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'danger-zone')
      await page.getByTestId('delete-dataset').click()
      await page.getByTestId('delete-name').waitFor()
    },
  },
  ...['general', 'fields', 'questions', 'metadata', 'vector', 'danger-zone'].map(
    (tab): Screen => ({
      name: `settings: ${tab}`,
      as: 'lead',
      open: (page, { datasetId }) => openSettings(page, datasetId, tab),
    }),
  ),
  { name: 'settings to read', as: 'annotator', open: (page, { datasetId }) => openSettings(page, datasetId, 'general') },
  ...['profile', 'look', 'keys', 'access'].map(
    (tab): Screen => ({
      name: `my settings: ${tab}`,
      as: 'annotator',
      open: async page => {
        await page.goto(`user-settings?tab=${tab}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await settled(page)
      },
    }),
  ),
  {
    name: 'no such page',
    as: 'annotator',
    open: async page => {
      await page.goto('no/such/page')
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  },
]
