/** Pages of admins and owners: the overview of a dataset, and datasets as a table. */
import { type Screen, waitForLayout } from './screen.ts'

export const OVERVIEW: Screen[] = [
  {
    name: 'overview',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/overview`)
      await page.getByTestId('burn-down').waitFor()
      await waitForLayout(page)
    },
  },
  {
    name: 'overview: charts as tables',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/overview`)
      await page.getByTestId('burn-down').waitFor()
      for (const button of await page.getByTestId('as-table').all()) await button.click()
      await waitForLayout(page)
    },
  },
  {
    name: 'overview: an answer',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/overview`)
      await page.getByTestId('person').first().getByTestId('behind').first().click()
      await page.getByTestId('record-behind').first().click()
      await page.getByTestId('answer-position').waitFor()
      await waitForLayout(page)
    },
  },
  {
    name: 'overview: an answer that is not there',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/overview/answers/00000000-0000-4000-8000-000000000000`)
      await page.getByTestId('no-answers').waitFor()
    },
  },
  {
    name: 'overview: for leads only',
    as: 'annotator',
    open: async (page, { datasetId }) => {
      await page.goto(`dataset/${datasetId}/overview`)
      await page.getByTestId('leads-only').waitFor()
    },
  },
  {
    name: 'home: as a table',
    as: 'lead',
    open: async page => {
      await page.goto('')
      await page.getByTestId('view-table').click()
      await page.getByTestId('dataset-table').waitFor()
      await waitForLayout(page)
    },
    leave: page => page.getByTestId('view-cards').click(),
  },
  {
    name: 'home: an empty archive',
    as: 'lead',
    open: async page => {
      await page.goto('?archived=1')
      await page.getByText('No archived datasets.').waitFor()
    },
  },
]
