/** The overview of a dataset for admins and owners, in a real browser. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { closeSeat, HOSTILE, hasScriptRun, sitAs } from './admin.ts'
import { takeWorld, world } from './desk.ts'
import { changeRows } from './rows.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const VALUES = ['good', 'bad', HOSTILE]

/** 40 records with suggestions. Anna has answered 20 of them over five days, Adam four, two of them differently. */
async function seedWork(name: string): Promise<string> {
  const id = await seed(world, { name, questions: [label('mood', VALUES)], minSubmitted: 2, records: texts(40) })
  const { items: questions } = await world.owner.listQuestions({ params: { dataset_id: id } })
  const { items: records } = await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 100 } })
  const question_id = questions[0]?.id ?? ''
  const items = records.map((record, i) => ({
    id: record.id,
    suggestions: [{ question_id, value: 'good', score: i % 2 === 0 ? 0.95 : 0.35, agent: 'model-1', type: 'model' as const }],
  }))
  await world.owner.updateRecords({ params: { dataset_id: id }, body: { items } })
  const answer = (client: typeof world.owner, i: number, value: string, status: 'submitted' | 'draft' | 'discarded') =>
    client.createResponse({
      params: { record_id: records[i]?.id ?? '' },
      body: { status, values: { mood: { value } } },
    })
  for (let i = 0; i < 20; i++)
    await answer(world.annotator.client, i, i % 2 === 0 ? 'good' : i === 1 ? HOSTILE : 'bad', 'submitted')
  await answer(world.admin.client, 0, 'good', 'submitted')
  await answer(world.admin.client, 1, 'good', 'submitted')
  await answer(world.admin.client, 2, 'good', 'draft')
  await answer(world.admin.client, 3, 'bad', 'discarded')
  // Backdates the answers to five days, one every twelve seconds.
  const now = Date.now()
  for (const [i, record] of records.entries()) {
    const timeMs = now - 86_400_000 * (4 - Math.floor(i / 5)) - 3_600_000 + (i % 5) * 12_000
    const time = `${new Date(timeMs).toISOString().slice(0, -1)}000`
    changeRows(world.server, 'update responses set updated_at = ? where record_no = (select no from records where id = ?)', [
      time,
      record.id,
    ])
  }
  return id
}

test('a lead sees how far a dataset is, who did what, and what suggestions were worth', async () => {
  const id = await seedWork('Watched')
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto(`dataset/${id}/annotation-mode`)
  await page.getByRole('navigation', { name: 'Dataset pages' }).getByRole('link', { name: 'Overview' }).click()
  await expect.poll(() => page.getByTestId('completed').innerText()).toBe('2 of 40')
  expect(await page.getByTestId('in-progress').innerText()).toBe('18')
  expect(await page.getByTestId('not-started').innerText()).toBe('20')
  expect(await page.getByTestId('median').innerText()).toBe('12.0 s')
  // 10 of 20, and 2 of 2.
  expect(await page.getByTestId('accepted').innerText()).toBe('55%')
  expect(await page.title()).toContain('Overview · Watched')

  const people = page.getByTestId('person')
  expect(await people.evaluateAll(rows => rows.map(row => (row as HTMLElement).dataset.username))).toEqual([
    world.annotator.username,
    world.admin.username,
  ])
  expect((await people.nth(0).innerText()).split(/\s+/)).toEqual(expect.arrayContaining(['20', '12.0', '50%']))

  const mood = page.locator('[data-question=mood]')
  expect(await mood.getByTestId('value-bars').getByRole('listitem').count()).toBe(3)
  expect(await mood.innerText()).toContain(HOSTILE)
  expect(await hasScriptRun(page)).toBe(false)
  const agents = page.getByTestId('panel-agents')
  expect(await agents.innerText()).toContain('model-1')
  expect(await agents.innerText()).toContain('0.9–1.0')
  expect(await page.getByTestId('burn-down').getAttribute('aria-label')).toContain('38 today')
  await closeSeat(seat)
})

test('each chart is a table and a file, too', async () => {
  const id = await seedWork('As numbers')
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto(`dataset/${id}/overview`)
  const days = page.getByTestId('panel-days')
  await days.getByTestId('as-table').click()
  expect(await days.getByRole('columnheader').allInnerTexts()).toEqual([
    'Date',
    'Submitted',
    world.annotator.username,
    world.admin.username,
  ])
  expect(await days.getByRole('row').count()).toBe(31)
  await page.getByTestId('period').selectOption('7')
  await expect.poll(() => days.getByRole('row').count()).toBe(8)

  const waiting = page.waitForEvent('download')
  await page.locator('[data-question=mood]').getByTestId('csv').click()
  const download = await waiting
  expect(download.suggestedFilename()).toBe('as-numbers-mood.csv')
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(lines.slice(0, 3)).toEqual(['\uFEFFValue,Answers,Suggested', 'good,12,22', 'bad,9,0'])
  for (const testid of ['panel-left', 'panel-people', 'panel-days', 'panel-agents'])
    expect(await page.getByTestId(testid).getByTestId('csv').count()).toBe(1)
  await closeSeat(seat)
})

test('numbers lead to the records behind them, and new answers show', async () => {
  const id = await seedWork('Followed')
  const seat = await sitAs(world.admin)
  const { page } = seat
  await page.goto(`dataset/${id}/overview`)
  const adam = page.locator(`[data-testid=person][data-username=${world.admin.username}]`)
  await adam.waitFor()
  const { items } = await world.owner.listRecords({ params: { dataset_id: id }, query: { limit: 100 } })
  const untouched = items.find(({ external_id }) => external_id === 'r-30')
  await world.annotator.client.createResponse({
    params: { record_id: untouched?.id ?? '' },
    body: { status: 'submitted', values: { mood: { value: 'good' } } },
  })
  await page.getByTestId('refresh').click()
  await expect.poll(() => page.getByTestId('not-started').innerText()).toBe('19')
  await adam.getByTestId('behind').first().click()
  const behind = page.getByTestId('record-behind')
  await expect.poll(() => behind.allInnerTexts()).toEqual(['r-0', 'r-1'])
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByTestId('records-dialog').count()).toBe(0)
  await page.getByTestId('panel-agents').getByTestId('behind').first().click()
  await expect.poll(() => behind.count()).toBe(10)
  await behind.nth(1).click()
  await expect.poll(() => page.url()).toContain('record=')
  await page.getByText('Record number 3').first().waitFor()
  await closeSeat(seat)
})

test('annotators are told that it is for leads, and nothing is asked for them', async () => {
  const id = await seedWork('Not for all')
  const seat = await sitAs(world.annotator)
  const { page } = seat
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.goto(`dataset/${id}/overview`)
  await page.getByTestId('leads-only').waitFor()
  expect(asked.filter(path => path.endsWith('/overview') && path.includes('/api/'))).toEqual([])
  await page.goto(`dataset/${id}/annotation-mode`)
  await page.getByRole('navigation', { name: 'Dataset pages' }).waitFor()
  expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0)
  await closeSeat(seat)
})
