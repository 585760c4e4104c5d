/** Dataset settings, actions on the whole dataset, and user settings. */
import type { Page } from 'playwright-core'
import { type Screen, waitForLayout } from './screen.ts'

/** Switches tabs without a reload if the page is open and not covered. */
async function openTab(page: Page, path: string, tab: string) {
  const isThere = new URL(page.url()).pathname.endsWith(`/${path}`) && (await page.locator('dialog[open]').count()) === 0
  if (isThere) await page.locator(`[data-tab=${tab}]`).click()
  else await page.goto(`${path}?tab=${tab}`)
  await page.locator(`[data-tab=${tab}][aria-current]`).waitFor()
  await waitForLayout(page)
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
    name: 'settings: adding labels',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'questions')
      await page.getByTestId('add-labels').filter({ visible: true }).first().click()
      await page.getByTestId('new-labels').fill('One\nTwo')
    },
  },
  {
    name: 'settings: a label',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'questions')
      await page.getByTestId('edit-label').filter({ visible: true }).first().click()
      await page.getByTestId('label-uses').filter({ hasText: /\d/ }).waitFor()
    },
  },
  {
    name: 'settings: order of questions',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'questions')
      const order = page.getByTestId('block-order')
      if ((await order.getByTestId('order-row').filter({ visible: true }).count()) === 0)
        await order.getByRole('button').first().click()
      await order.getByTestId('order-row').last().scrollIntoViewIfNeeded()
    },
  },
  ...(['metadata', 'vector'] as const).map(
    (tab): Screen => ({
      name: `settings: adding to ${tab}`,
      as: 'lead',
      open: async (page, { datasetId }) => {
        await openSettings(page, datasetId, tab)
        await page.getByTestId('open-new').click()
        await page.getByTestId('new-part').scrollIntoViewIfNeeded()
      },
      leave: page => page.getByTestId('new-part').getByRole('button').first().click(),
    }),
  ),
  {
    name: 'settings: choosing records to delete',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'danger-zone')
      await page.getByTestId('choose-records').click()
      await page.getByTestId('delete-filters').click()
      await page.getByTestId('delete-count').filter({ hasText: /\d/ }).waitFor()
    },
  },
  {
    name: 'settings: before records are deleted',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openSettings(page, datasetId, 'general')
      await openSettings(page, datasetId, 'danger-zone')
      await page.getByTestId('choose-records').click()
      await page.getByTestId('delete-count').filter({ hasText: /\d/ }).waitFor()
      await page.getByTestId('delete-matching').click()
      await page.getByTestId('delete-records-name').waitFor()
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
      name: handle === 'export' ? 'export with Python' : 'adding records',
      as: 'lead',
      isOver: true,
      open: async (page, { datasetId }) => {
        await openSettings(page, datasetId, 'general')
        // From the menu if the bar has no room.
        const button = page.getByTestId(handle)
        if (!(await button.isVisible())) await page.getByTestId('account').click()
        await page.locator(`[data-testid=${handle}]:visible, [data-testid=menu-${handle}]:visible`).first().click()
        if (handle === 'export') await page.getByTestId('export-tab-python').click()
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
