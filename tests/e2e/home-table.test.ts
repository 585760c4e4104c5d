/** The home page of admins and owners: datasets as a table, the archive and background jobs, in a real browser. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { closeSeat, HOSTILE, hasScriptRun, sitAs } from './admin.ts'
import type { Seat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { addJob, changeRows } from './rows.ts'
import { label, type Person, seed, texts } from './seed.ts'

takeWorld()

const QUESTIONS = [label('mood', ['good', 'bad'])]
async function sitAtHome(person: Person): Promise<Seat> {
  const seat = await sitAs(person)
  await seat.page.goto('')
  return seat
}
const rowNames = (page: Page) => page.getByTestId('dataset-row').locator('th a').allInnerTexts()
const rowOf = (page: Page, id: string) => page.locator(`[data-testid=dataset-row][data-dataset-id="${id}"]`)

test('datasets are a table that is sorted by its columns, and stays one', async () => {
  await seed(world, { name: 'Three records', questions: QUESTIONS, records: texts(3) })
  await seed(world, { name: `Ten ${HOSTILE}`, questions: QUESTIONS, records: texts(10), minSubmitted: 3 })
  const one = await seed(world, { name: 'A single one', questions: QUESTIONS, records: texts(1) })
  const seat = await sitAtHome(world.admin)
  const { page } = seat
  await page.getByTestId('view-table').click()
  await page.getByTestId('dataset-table').waitFor()
  await page.locator('[data-sort=records]').click()
  await expect.poll(() => rowNames(page)).toEqual([`Ten ${HOSTILE}`, 'Three records', 'A single one'])
  expect(await page.locator('th[aria-sort=descending]').innerText()).toBe('Records')
  await page.locator('[data-sort=records]').click()
  await expect.poll(() => rowNames(page)).toEqual(['A single one', 'Three records', `Ten ${HOSTILE}`])
  await page.locator('[data-sort=name]').click()
  await expect.poll(async () => (await rowNames(page))[0]).toBe('A single one')
  expect((await rowOf(page, one).getByRole('cell').allInnerTexts()).slice(0, 5)).toEqual([world.workspace, '1', '0%', '1', '1'])
  await page.reload()
  await page.getByTestId('dataset-table').waitFor()
  expect((await rowNames(page))[0]).toBe('A single one')
  expect(await hasScriptRun(page)).toBe(false)
  await rowOf(page, one).getByRole('link', { name: 'Overview of A single one' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toContain(`/dataset/${one}/overview`)
  await closeSeat(seat)
})

test('an archived dataset is out of sight until it is asked for, and comes back', async () => {
  const id = await seed(world, { name: 'Put away', questions: QUESTIONS, records: texts(1) })
  await world.owner.updateDataset({ params: { dataset_id: id }, body: { metadata: { kept: 1 } } })
  const seat = await sitAtHome(world.admin)
  const { page } = seat
  await page.getByTestId('view-table').click()
  await rowOf(page, id).getByTestId('archive').click()
  await expect.poll(() => rowOf(page, id).count()).toBe(0)
  await page.getByTestId('archived').click()
  await expect.poll(() => rowNames(page)).toEqual(['Put away'])
  expect(new URL(page.url()).search).toBe('?archived=1')
  // Metadata of other clients is preserved, and the dataset is hidden in the annotator's list too.
  const { metadata } = await world.owner.getDataset({ params: { dataset_id: id } })
  expect(metadata).toMatchObject({ kept: 1 })
  const other = await sitAtHome(world.annotator)
  await other.page.getByTestId('dataset-list').waitFor()
  expect(await other.page.locator(`[data-dataset-id="${id}"]`).count()).toBe(0)
  expect(await other.page.getByTestId('archive').count()).toBe(0)
  await closeSeat(other)
  await rowOf(page, id).getByTestId('archive').click()
  await expect.poll(() => page.getByTestId('dataset-list').innerText()).toContain('No archived datasets.')
  await page.getByTestId('archived').click()
  await expect.poll(() => rowOf(page, id).count()).toBe(1)
  await closeSeat(seat)
})

test('of many datasets, the table draws those in view', async () => {
  for (let i = 0; i < 230; i++)
    await world.owner.createDataset({ body: { name: `many ${String(i).padStart(3, '0')}`, workspace_id: world.workspaceId } })
  const seat = await sitAtHome(world.admin)
  const { page } = seat
  await page.getByTestId('view-table').click()
  await page.locator('[data-sort=name]').click()
  await page.getByTestId('search-input').fill('many')
  await expect.poll(async () => (await rowNames(page)).length).toBeLessThan(150)
  await expect.poll(async () => (await rowNames(page))[0]).toBe('many 000')
  expect(await page.getByTestId('dataset-table').getAttribute('aria-rowcount')).toBe('231')
  await page.evaluate(() => document.querySelector('main')?.scrollTo(0, 1e6))
  await expect.poll(async () => (await rowNames(page)).at(-1)).toBe('many 229')
  await expect.poll(() => page.getByText('many 229').isVisible()).toBe(true)
  await page.getByTestId('search-input').fill('many 00')
  await expect.poll(() => rowNames(page)).toHaveLength(10)
  await closeSeat(seat)
})

test('imports and exports that run are named with how far they are, until they end', async () => {
  const id = await seed(world, { name: 'Being filled', questions: QUESTIONS, records: texts(1) })
  const job = addJob(world.server, {
    name: 'hub-import',
    status: 'started',
    attempts: 1,
    payload: { dataset_id: id, done: 10, total: 40 },
  })
  const seat = await sitAtHome(world.admin)
  const { page } = seat
  const running = page.getByTestId('transfer')
  await expect.poll(() => running.allInnerTexts()).toHaveLength(1)
  expect(await running.innerText()).toContain('Being filled')
  expect(await running.innerText()).toContain('10 of 40')
  changeRows(world.server, `update jobs set status = 'finished' where id = ?`, [job])
  await expect.poll(() => running.count()).toBe(0)
  const other = await sitAtHome(world.annotator)
  expect(await other.page.getByTestId('running').count()).toBe(0)
  await closeSeat(other)
  await closeSeat(seat)
})
