/** Background jobs for owners, in a real browser. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addOwner, closeSeat, expectNothingForOthers, HOSTILE, hasScriptRun, sitAsOwner } from './admin.ts'
import { OWN_SERVER, takeWorld, world } from './desk.ts'
import { addJob as addJobRow, changeRows, type JobRow, timeIn } from './rows.ts'
import { label, seed, texts } from './seed.ts'

takeWorld(OWN_SERVER)

const addJob = (row: JobRow) => addJobRow(world.server, row)

test('a failed job says why, and runs again when an owner says so', async () => {
  const id = addJob({ error: HOSTILE, payload: { done: 200, total: 450 } })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('')
  await page.getByTestId('account').click()
  await page.getByTestId('administration').click()
  await page.locator('[data-tab=admin-jobs]').click()
  const row = page.locator(`[data-id="${id}"]`)
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Failed')
  expect(await row.getByTestId('job-error').innerText()).toBe(HOSTILE)
  expect(await row.innerText()).toContain('200 of 450')
  expect(await row.innerText()).toContain('4 attempts')
  expect(await row.getByTestId('job-cancel').count()).toBe(0)
  await row.getByTestId('job-retry').click()
  await expect.poll(() => page.getByTestId('jobs-done').innerText()).toBe('The job was restarted.')
  // The page polls until the job ends.
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Finished')
  expect(await hasScriptRun(page)).toBe(false)
  await closeSeat(seat)
})

test('a running job is followed, and one of many answers can be canceled', async () => {
  const id = addJob({
    name: 'bulk-responses',
    status: 'started',
    attempts: 1,
    payload: { bulk_job_id: randomUUID(), done: 10, total: 20 },
  })
  const kept = addJob({ name: 'purge-user', status: 'started', attempts: 1 })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/jobs')
  const row = page.locator(`[data-id="${id}"]`)
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Running')
  // Jobs that must not be left half done have no cancel button.
  expect(await page.locator(`[data-id="${kept}"]`).getByTestId('job-cancel').count()).toBe(0)
  await row.getByTestId('job-cancel').click()
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Canceled')
  changeRows(world.server, `update jobs set status = 'finished', finished_at = ? where id = ?`, [timeIn(0), kept])
  await expect.poll(() => page.locator(`[data-id="${kept}"]`).getByTestId('state').innerText()).toBe('Finished')
  await closeSeat(seat)
})

test('the filter stands in the address, and older jobs come page by page', async () => {
  for (let i = 0; i < 60; i++) addJob({ error: `fault ${i}` })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/jobs')
  await page.getByTestId('filter-status').selectOption('failed')
  await expect.poll(() => new URL(page.url()).search).toBe('?status=failed')
  await expect.poll(() => page.getByTestId('job').count()).toBe(50)
  await page.getByTestId('older').click()
  await expect.poll(() => page.getByTestId('job').count()).toBe(60)
  expect(await page.getByTestId('older').count()).toBe(0)
  expect(
    new Set(await page.getByTestId('job').evaluateAll(rows => rows.map(row => (row as HTMLElement).dataset.status))),
  ).toEqual(new Set(['failed']))
  await page.reload()
  await expect.poll(() => page.getByTestId('filter-status').inputValue()).toBe('failed')
  await page.goto('admin/jobs?status=canceled&x=1')
  await page.getByTestId('filter-status').selectOption('queued')
  await expect.poll(() => page.getByTestId('empty').innerText()).toBe('Nothing matches these filters.')
  await closeSeat(seat)
})

test('another owner was quicker: the row says so, and the list is up to date', async () => {
  const id = addJob({ error: 'a fault' })
  const gone = addJob({ error: 'a fault' })
  const other = await addOwner('quick')
  const seat = await sitAsOwner({ allow: [/409/, /404/] })
  const { page } = seat
  await page.goto('admin/jobs')
  const row = page.locator(`[data-id="${id}"]`)
  await row.getByTestId('job-retry').waitFor()
  await other.client.retryJob({ params: { job_id: id } })
  changeRows(world.server, 'delete from jobs where id = ?', [gone])
  await row.getByTestId('job-retry').click()
  await row.getByTestId('job-refused').waitFor()
  expect(await row.getByTestId('job-refused').innerText()).toContain('only a failed job can be run again')
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Finished')
  await expect.poll(() => page.locator(`[data-id="${gone}"]`).count()).toBe(0)
  await closeSeat(seat)
})

test('a bulk action of an annotator is in the list, with its dataset', async () => {
  const dataset_id = await seed(world, { name: 'many', questions: [label('mood', ['good', 'bad'])], records: texts(3) })
  const { id } = await world.annotator.client.createBulkJob({
    params: { dataset_id },
    body: {
      query: {},
      response_status: 'pending',
      action: { type: 'respond', status: 'submitted', values: { mood: { value: 'good' } } },
      expected_total: 3,
    } as never,
  })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/jobs')
  const row = page.locator(`[data-id="${id}"]`)
  await expect.poll(() => row.innerText()).toContain('Bulk action')
  await expect.poll(() => row.getByTestId('state').innerText()).toBe('Finished')
  expect(await row.innerText()).toContain('3 of 3')
  await row.getByRole('link', { name: 'many' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/dataset/${dataset_id}/annotation-mode`)
  await closeSeat(seat)
})

test('a server that does not answer: a sentence and a button, and the list comes back', async () => {
  const seat = await sitAsOwner({ allow: [/ERR_FAILED/] })
  const { page } = seat
  await page.route('**/api/v1/jobs*', route => route.abort())
  await page.goto('admin/jobs')
  await page.getByRole('alert').getByText('Cannot reach the server').waitFor()
  await page.unroute('**/api/v1/jobs*')
  await page.getByTestId('retry').click()
  await page.getByTestId('jobs').waitFor()
  await expect.poll(() => page.getByTestId('retry').count()).toBe(0)
  await closeSeat(seat)
})

test('others see neither the links nor the page', () => expectNothingForOthers('admin/jobs', 'jobs'))

test('a job names its dataset and who started it, and bytes have a unit', async () => {
  const dataset_id = await seed(world, { name: 'named by jobs', questions: [label('mood', ['good', 'bad'])], records: texts(1) })
  const { id: actor_id, username } = await world.owner.getMe()
  const payload = { dataset_id, actor_id, done: 1_500_000, total: 20_000_000 }
  const id = addJob({ name: 'file-import', status: 'failed', payload })
  const seat = await sitAsOwner()
  const { page } = seat
  await page.goto('admin/jobs')
  const row = page.locator(`[data-id="${id}"]`)
  await expect.poll(() => row.getByRole('link').innerText()).toBe('named by jobs')
  expect(await row.getByTestId('job-by').innerText()).toBe(`started by ${username}`)
  expect(await row.innerText()).toContain('1.5 MB of 20 MB')
  await closeSeat(seat)
})
