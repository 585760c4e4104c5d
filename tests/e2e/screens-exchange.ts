/** Exports, pushes to a hub, and imports from one. */
import type { Page } from 'playwright-core'
import { openDataset } from './annotation-page.ts'
import { type Screen, waitForLayout } from './screen.ts'

async function openExport(page: Page, datasetId: string, tab: 'download' | 'hub') {
  await openDataset(page, datasetId, '?search=the')
  const button = page.getByTestId('export')
  if (await button.isVisible()) await button.click()
  else {
    // On phones it is in the account menu.
    await page.getByTestId('account').click()
    await page.getByTestId('menu-export').click()
  }
  await page.getByTestId(`export-tab-${tab}`).click()
  await waitForLayout(page)
}

/** The server of these screens has no hub, so this response is mocked. */
const HUB_DATASET = {
  name: 'team/letters',
  url: 'https://hub.example.org/datasets/team/letters',
  subsets: [{ name: 'default', splits: ['train', 'test'] }],
  subset: 'default',
  split: 'train',
  rows_count: 120_000,
  rows_max: 10_000,
  columns: [
    {
      name: 'body',
      type: 'long_text',
      dimensions: null,
      empty: 1,
      distinct: null,
      is_class: false,
      suggestion: 'field',
      examples: ['A letter'],
    },
    {
      name: 'mood',
      type: 'text',
      dimensions: null,
      empty: 0,
      distinct: ['bad', 'good'],
      is_class: true,
      suggestion: 'suggestion',
      examples: ['bad'],
    },
  ],
  rows: [
    ['A letter about money', 'bad'],
    [null, 'good'],
  ],
  problems: ['Column `scan` is not shown: its first rows have 80 MiB. It can be imported.'],
}

const HUB_PATH = '**/api/v1/hub/datasets?*'

export const EXCHANGE: Screen[] = [
  {
    name: 'export to a file',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openExport(page, datasetId, 'download')
      await page.getByTestId('export-column-mode').selectOption('some')
      await page.getByTestId('export-columns').waitFor()
      await page.getByTestId('export-start').click()
      await page.getByTestId('export-download').first().waitFor()
    },
    leave: page => page.keyboard.press('Escape'),
  },
  {
    name: 'push to a hub that does not answer',
    as: 'lead',
    isOver: true,
    open: async (page, { datasetId }) => {
      await openExport(page, datasetId, 'hub')
      await page.getByTestId('push-name').fill('team/letters')
      await page.getByTestId('push-token').fill('hf_wrong')
      await page.getByTestId('push').click()
      await page.getByTestId('push-state').waitFor()
    },
    leave: page => page.keyboard.press('Escape'),
  },
  {
    name: 'import from a hub',
    as: 'lead',
    open: async page => {
      await page.route(HUB_PATH, route => route.fulfill({ json: HUB_DATASET }))
      await page.goto('new/team/letters')
      await page.getByTestId('source-rows').waitFor()
      await waitForLayout(page)
    },
    leave: page => page.unroute(HUB_PATH),
  },
  {
    name: 'import from a hub that does not answer',
    as: 'lead',
    open: async page => {
      await page.goto('new/team/letters')
      await page.getByTestId('hub-problem').waitFor()
    },
  },
]
