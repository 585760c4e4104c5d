/** Creating a dataset from a file, and adding records to one. */
import type { Page } from 'playwright-core'
import { type Screen, waitForLayout } from './screen.ts'

const ROWS =
  'key,text,topic,days\nA,"Where is my parcel?",delivery,3\nB,"# Broken\nThe **chain** fell off",repair,7\nC,,billing,1\n'

async function paste(page: Page, path: string) {
  await page.goto(path)
  await page.getByTestId('paste').click()
  await page.getByTestId('pasted').fill(ROWS)
  await page.getByTestId('use-pasted').click()
  await page.getByTestId('read-as').waitFor()
}
const next = (page: Page) => page.getByTestId('next').click()

async function openQuestions(page: Page) {
  await paste(page, 'new')
  await next(page)
  await page.getByTestId('wizard-preview').waitFor()
  await next(page)
  await page.getByTestId('template-classification').click()
  await page.getByTestId('template-entities').click()
  await waitForLayout(page)
}

async function startOver(page: Page) {
  await page.getByTestId('start-over').click()
  await page.getByTestId('start-over-yes').click()
  await page.getByTestId('drop').waitFor()
}

export const WIZARD: Screen[] = [
  {
    name: 'new dataset: source',
    as: 'lead',
    open: async page => {
      await page.goto('new')
      await page.getByTestId('paste').click()
      await next(page)
      await page.getByTestId('issues').waitFor()
    },
  },
  { name: 'new dataset: a file was read', as: 'lead', open: page => paste(page, 'new'), leave: startOver },
  {
    name: 'new dataset: columns',
    as: 'lead',
    open: async page => {
      await paste(page, 'new')
      await next(page)
      await page.getByTestId('wizard-preview').waitFor()
      await waitForLayout(page)
    },
    leave: startOver,
  },
  { name: 'new dataset: questions', as: 'lead', open: openQuestions, leave: startOver },
  {
    name: 'new dataset: people',
    as: 'lead',
    open: async page => {
      await openQuestions(page)
      await next(page)
      await page.getByTestId('workspace').waitFor()
      await waitForLayout(page)
    },
    leave: startOver,
  },
  {
    name: 'add records: a required field without a column',
    as: 'lead',
    open: async (page, { datasetId }) => {
      await paste(page, `dataset/${datasetId}/import`)
      await next(page)
      await page.getByTestId('wizard-preview').waitFor()
      await next(page)
      await page.getByTestId('issues').waitFor()
      await waitForLayout(page)
    },
    leave: startOver,
  },
  {
    name: 'new dataset: for leads only',
    as: 'annotator',
    open: async page => {
      await page.goto('new')
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  },
]
