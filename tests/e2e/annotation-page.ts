/** Actions and checks shared by the tests of the annotation page. */
import type { Client } from '@postil/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { World } from './seed.ts'

export const currentRecord = (page: Page) => page.locator('[data-testid=record]:not([hidden])')
export const expectRecordText = (page: Page, words: string) => expect.poll(() => currentRecord(page).innerText()).toContain(words)

export async function openDataset(page: Page, datasetId: string, query = ''): Promise<void> {
  await page.goto(`dataset/${datasetId}/annotation-mode${query}`)
  await page.getByTestId('submit').waitFor()
  await currentRecord(page).waitFor()
}

export const expectSaved = (page: Page) =>
  expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')

/** In insertion order. */
export const listRecords = async (client: Client, datasetId: string, limit = 100) =>
  (await client.listRecords({ params: { dataset_id: datasetId }, query: { limit, include: ['responses'] } })).items

/** The annotator's response to the record at this index, from the API: its status, and the values by question. */
export async function storedResponse({ owner, annotator }: World, datasetId: string, at = 0) {
  const records = await listRecords(owner, datasetId)
  const response = records[at]?.responses?.find(({ user_id }) => user_id === annotator.id)
  if (!response) return null
  const values = Object.entries(response.values).map(([name, { value }]) => [name, value])
  return { status: response.status, values: Object.fromEntries(values) as Record<string, unknown> }
}
