/** Every page of the web UI in every state that looks different: what checks of all pages go through. */
import type { Page } from 'playwright-core'
import { openDataset } from './annotating.ts'
import type { Everything } from './everything.ts'

export interface Screen {
  name: string
  /** Who looks at it. */
  as: 'nobody' | 'lead' | 'annotator'
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
