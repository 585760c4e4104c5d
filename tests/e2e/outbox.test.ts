/** No answer is lost or duplicated, whatever the network does between key press and response. */
import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const LABELS = ['yes', 'no', 'maybe']
const OFFLINE = [/Failed to load resource/]

/** Seeded random numbers, so that failures can be reproduced. */
function dice(seedValue: number) {
  let state = seedValue
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Cuts a write before it arrives, or after it was applied and before the response, or lets it through. */
const cutAtRandom = (roll: () => number) => async (route: Route) => {
  const luck = roll()
  if (luck < 0.25) return route.abort('connectionreset')
  if (luck < 0.5) {
    await route.fetch()
    return route.abort('connectionreset')
  }
  return route.continue()
}

const recordId = (page: Page) => page.locator('[data-testid=record]:not([hidden])').getAttribute('data-record-id')

async function answer(page: Page, key: string): Promise<string> {
  const before = (await recordId(page)) ?? ''
  await page.keyboard.press(key)
  await expect.poll(() => recordId(page)).not.toBe(before)
  return before
}

const saved = (page: Page) => expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')

async function storedAnswers(datasetId: string): Promise<Map<string, unknown>> {
  const { items } = await world.annotator.client.listMyRecords({
    params: { dataset_id: datasetId },
    query: { limit: 200, include: ['responses'] },
  })
  const answers = items.flatMap(({ id, responses }) =>
    (responses ?? []).map(({ values, status }) => [id, [status, values.answer?.value]] as const),
  )
  // A second response of the same user would be a second entry.
  expect(answers.length).toBe(new Set(answers.map(([id]) => id)).size)
  return new Map(answers)
}

test('50 submits with the network cut at random moments: 50 answers, none lost, none doubled', async () => {
  const datasetId = await seed(world, { name: 'cut', questions: [label('answer', LABELS)], records: texts(60) })
  const { page, context } = await takeSeat(world.server.url, { allow: OFFLINE })
  await enter(context, world, world.annotator)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await page.getByTestId('submit').waitFor()
  await context.route('**/api/v1/me/responses/bulk', cutAtRandom(dice(7)))
  const expected = new Map<string, unknown>()
  for (let i = 0; i < 50; i++) {
    // Complete outages in the middle of the work.
    if (i === 15 || i === 35) await context.setOffline(true)
    if (i === 20 || i === 42) await context.setOffline(false)
    const pick = i % 3
    expected.set(await answer(page, String(pick + 1)), ['submitted', LABELS[pick]])
  }
  await saved(page)
  expect(await storedAnswers(datasetId)).toEqual(expected)
  expect(expected.size).toBe(50)
  await context.close()
})

test('what was answered without a network survives a closed tab', async () => {
  const datasetId = await seed(world, { name: 'closed', questions: [label('answer', LABELS)], records: texts(10) })
  const { page, context } = await takeSeat(world.server.url, { allow: OFFLINE })
  await enter(context, world, world.annotator)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await page.getByTestId('submit').waitFor()
  await context.route('**/api/v1/me/responses/bulk', route => route.abort('connectionreset'))
  const expected = new Map([
    [await answer(page, '1'), ['submitted', 'yes']],
    [await answer(page, '2'), ['submitted', 'no']],
  ])
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('offline')
  await page.close()
  expect((await storedAnswers(datasetId)).size).toBe(0)

  await context.unroute('**/api/v1/me/responses/bulk')
  const next = await context.newPage()
  await next.goto(`dataset/${datasetId}/annotation-mode`)
  await next.getByTestId('submit').waitFor()
  // A tab that crashed is detected by a timeout.
  await expect.poll(() => storedAnswers(datasetId)).toEqual(expected)
  await context.close()
})

test('one write per submit, and no other request', async () => {
  const datasetId = await seed(world, { name: 'single', questions: [label('answer', LABELS)], records: texts(40) })
  const { page, context } = await takeSeat(world.server.url)
  await enter(context, world, world.annotator)
  await page.goto(`dataset/${datasetId}/annotation-mode`)
  await page.getByTestId('submit').waitFor()
  await page.waitForLoadState('networkidle').catch(() => undefined)
  const requests: string[] = []
  page.on('request', request => {
    const path = new URL(request.url()).pathname
    if (path.startsWith('/api/')) requests.push(`${request.method()} ${path}`)
  })
  for (let i = 0; i < 5; i++) {
    await answer(page, '1')
    await saved(page)
  }
  expect(requests).toEqual(Array(5).fill('POST /api/v1/me/responses/bulk'))
  await context.close()
})

test('what was changed elsewhere is shown beside what was done here, and a person chooses', async () => {
  const datasetId = await seed(world, { name: 'conflicts', questions: [label('answer', LABELS)], records: texts(2) })
  const { client } = world.annotator
  const { items } = await client.listMyRecords({ params: { dataset_id: datasetId } })
  // In insertion order, in which the page shows them.
  const ids = items.map(({ id }) => id).toSorted()
  const answerAll = (value: string) =>
    client.upsertMyResponsesBulk({
      body: { items: ids.map(record_id => ({ record_id, status: 'submitted' as const, values: { answer: { value } } })) },
    })
  await answerAll('yes')
  const { page, context } = await takeSeat(world.server.url)
  await enter(context, world, world.annotator)
  await page.goto(`dataset/${datasetId}/annotation-mode?status=submitted`)
  await page.getByTestId('submit').waitFor()
  await expect.poll(() => recordId(page)).toBe(ids[0])
  await answerAll('no')

  // One answer is changed, the other is deleted.
  await page.keyboard.press('3')
  await expect.poll(() => recordId(page)).toBe(ids[1])
  await page.getByRole('button', { name: 'More actions' }).and(page.locator(':visible')).click()
  await page.getByRole('menuitem', { name: 'Return to pending' }).click()
  await page.getByTestId('connection').getByRole('button').click()
  const rows = page.getByTestId('outbox').locator('li')
  await expect.poll(() => rows.count()).toBe(2)
  const sides = () => rows.locator('section').allInnerTexts()
  await expect
    .poll(async () => (await sides()).map(text => text.split(/\n+/)))
    .toEqual([
      ['Your answer', 'Submitted', 'maybe'],
      ['Answer on the server', 'Submitted', 'no'],
      ['Your answer', 'Pending'],
      ['Answer on the server', 'Submitted', 'no'],
    ])
  for (const left of [1, 0]) {
    await rows.first().getByRole('button', { name: 'Replace with mine' }).click()
    await expect.poll(() => rows.count()).toBe(left)
  }
  await saved(page)
  expect(await storedAnswers(datasetId)).toEqual(new Map([[ids[0], ['submitted', 'maybe']]]))
  await context.close()
})
