/** Settings of a dataset, what a lead does with it as a whole, and a person's own settings. */
import type { Page } from 'playwright-core'
import { type Screen, settled } from './screen.ts'

/** From tab to tab without loading anew, where the page is open already and nothing lies over it. */
async function openTab(page: Page, path: string, tab: string) {
  const isThere = new URL(page.url()).pathname.endsWith(`/${path}`) && (await page.locator('dialog[open]').count()) === 0
  if (isThere) await page.locator(`[data-tab=${tab}]`).click()
  else await page.goto(`${path}?tab=${tab}`)
  await page.locator(`[data-tab=${tab}][aria-current]`).waitFor()
  await settled(page)
}
const openSettings = (page: Page, id: string, tab: string) => openTab(page, `dataset/${id}/settings`, tab)
const openMine = (page: Page, tab: string) => openTab(page, 'user-settings', tab)

const TABS = ['general', 'fields', 'questions', 'metadata', 'vector', 'danger-zone']
const MY_TABS = ['profile', 'look', 'keys', 'access']

export const SETTINGS: Screen[] = [
  ...TABS.map(
    (tab): Screen => ({
      name: `settings: ${tab}`,
      as: 'lead',
      open: (page, { datasetId }) => openSettings(page, datasetId, tab),
    }),
  ),
  {
    name: 'settings: changed and refused',
    as: 'lead',
    open: async (page, { datasetId, manyName }) => {
      await openSettings(page, datasetId, 'general')
      const block = page.getByTestId('block-name')
      await block.getByRole('textbox').first().fill(manyName)
      await block.getByTestId('update').click()
      await block.getByRole('alert').waitFor()
    },
    leave: page => page.getByTestId('block-name').getByTestId('cancel').click(),
  },
  {
    name: 'settings: leaving what is not saved',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'general')
      await page.getByTestId('block-name').getByRole('textbox').first().fill('Another name')
      await page.locator('.mark').first().click()
      await page.getByTestId('stay').waitFor()
    },
    leave: async page => {
      await page.getByTestId('leave').click()
      await page.getByTestId('dataset-list').waitFor()
    },
  },
  {
    name: 'settings: before a dataset is deleted',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'danger-zone')
      await page.getByTestId('delete-dataset').click()
      await page.getByTestId('delete-name').waitFor()
    },
  },
  {
    name: 'settings to read',
    as: 'annotator',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/settings`)
      await page.getByTestId('settings-reading').waitFor()
    },
  },
  ...(['add-records', 'export'] as const).map(
    (handle): Screen => ({
      name: handle === 'export' ? 'export' : 'adding records',
      as: 'lead',
      isOver: true,
      open: async (page, { datasetId }) => {
        await openSettings(page, datasetId, 'general')
        // From the menu, where the bar has no room.
        const button = page.getByTestId(handle)
        if (!(await button.isVisible())) await page.getByTestId('account').click()
        await page.locator(`[data-testid=${handle}]:visible, [data-testid=menu-${handle}]:visible`).first().click()
        await page.getByRole('dialog').locator('pre').waitFor()
      },
    }),
  ),
  ...MY_TABS.map((tab): Screen => ({ name: `my settings: ${tab}`, as: 'annotator', open: page => openMine(page, tab) })),
  {
    name: 'my settings: before the key is replaced',
    as: 'annotator',
    isOver: true,
    open: async page => {
      await openMine(page, 'access')
      await page.getByTestId('ask-rotate').click()
      await page.getByTestId('rotate-key').waitFor()
    },
  },
]
