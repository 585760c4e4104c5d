/** Several tabs of one user: one sends for all, and none undoes the work of another. */
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, listRecords, openDataset, storedResponse } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const question = label('answer', ['yes', 'no'])
const comment = { name: 'comment', title: 'Comment', required: false, settings: { type: 'text' as const, use_markdown: false } }
const EXPECTED = [/401/, /Failed to load resource/]

async function sitDown() {
  const seat = await takeSeat(world.server.url, { allow: EXPECTED })
  await enter(seat.context, world, world.annotator)
  return seat
}
async function openTab(context: BrowserContext, datasetId: string): Promise<Page> {
  const page = await context.newPage()
  await openDataset(page, datasetId)
  return page
}
const countAnswers = async (datasetId: string) =>
  (await listRecords(world.owner, datasetId)).filter(({ responses }) => responses?.length).length
/** Simulates plain HTTP, where browsers have no Web Locks. */
const withoutLocks = (context: BrowserContext) =>
  context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }))
const notice = (page: Page) => page.getByTestId('form-notice').getAttribute('data-notice')

describe('a record that is open in two tabs', () => {
  test('answered in one, it says so in the other, where nothing turns the answer into a draft', async () => {
    const id = await seed(world, { name: 'stale', questions: [question, comment], records: texts(4), minSubmitted: 2 })
    const { page, context } = await sitDown()
    await openDataset(page, id)
    const second = await openTab(context, id)
    await expectRecordText(second, 'Record number 0')
    await page.keyboard.press('1')
    await page.getByTestId('submit').click()
    await expectSaved(page)
    await expect.poll(() => notice(second)).toBe('elsewhere')
    await second.bringToFront()
    await second.keyboard.press('2')
    await second.keyboard.press('ArrowRight')
    await expectRecordText(second, 'Record number 1')
    // Longer than the autosave delay of drafts.
    await second.waitForTimeout(3_000)
    await expectSaved(second)
    expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { answer: 'yes' } })
    await context.close()
  })

  test('a submit in the other one tells first, and replaces at the second press', async () => {
    const id = await seed(world, { name: 'twice', questions: [question], records: texts(4), minSubmitted: 2 })
    const { page, context } = await sitDown()
    await openDataset(page, id)
    const second = await openTab(context, id)
    await page.bringToFront()
    await page.keyboard.press('1')
    await expectSaved(page)
    await expect.poll(() => notice(second)).toBe('elsewhere')
    await second.bringToFront()
    await second.keyboard.press('2')
    await expect.poll(() => notice(second)).toBe('replacing')
    expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { answer: 'yes' } })
    await second.keyboard.press('Enter')
    await expectRecordText(second, 'Record number 1')
    await expectSaved(second)
    expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { answer: 'no' } })
    await context.close()
  })
})

describe.each([
  { way: 'with locks', prepare: async (_: BrowserContext) => undefined },
  { way: 'without locks, as over plain HTTP', prepare: withoutLocks },
])('tabs $way', ({ way, prepare }) => {
  test('one sends for all; when it is closed, another goes on', async () => {
    const id = await seed(world, { name: `lead ${way.slice(0, 12)}`, questions: [question], records: texts(8) })
    const seat = await takeSeat(world.server.url, { allow: EXPECTED })
    await prepare(seat.context)
    const { page, context } = seat
    await enter(context, world, world.annotator)
    await openDataset(page, id)
    const senders: string[] = []
    const names = new Map<Page, string>([[page, 'first']])
    context.on('request', request => {
      if (request.url().endsWith('/responses/bulk')) senders.push(names.get(request.frame().page()) ?? 'second')
    })
    await page.keyboard.press('1')
    await expectSaved(page)
    const second = await openTab(context, id)
    const answer = async () => {
      const shown = await currentRecord(second).innerText()
      await second.keyboard.press('1')
      await expect.poll(() => currentRecord(second).innerText()).not.toBe(shown)
    }
    await answer()
    await expect.poll(() => countAnswers(id)).toBe(2)
    expect(senders).toEqual(['first', 'first'])
    await page.close()
    await answer()
    await expect.poll(() => countAnswers(id)).toBe(3)
    await expectSaved(second)
    expect(senders).toEqual(['first', 'first', 'second'])
    await context.close()
  })

  test('what is undone in one tab is never sent by another', async () => {
    const id = await seed(world, { name: `undo ${way.slice(0, 12)}`, questions: [question], records: texts(8) })
    const seat = await takeSeat(world.server.url, { allow: EXPECTED })
    await prepare(seat.context)
    const { page, context } = seat
    await enter(context, world, world.annotator)
    await openDataset(page, id)
    const second = await openTab(context, id)
    const sent: string[] = []
    // Simulates a busy server: the first request is blocked, and others wait behind it.
    const isBack = Promise.withResolvers<void>()
    await context.route('**/responses/bulk', async route => {
      sent.push(route.request().postData() ?? '')
      await isBack.promise
      await route.abort('connectionreset')
    })
    await second.keyboard.press('1')
    await expectRecordText(second, 'Record number 1')
    await expect.poll(() => sent.length).toBe(1)
    isBack.resolve()
    await second.keyboard.press('1')
    await expectRecordText(second, 'Record number 2')
    await second.keyboard.press('Control+z')
    await expectRecordText(second, 'Record number 1')
    await page.close()
    await context.unrouteAll()
    await expect.poll(() => countAnswers(id)).toBe(1)
    await expectSaved(second)
    expect((await storedResponse(world, id, 1)) ?? null).toBeNull()
    await context.close()
  })
})

test('a tab that is frozen while it leads is not waited for, and sends nothing old when it wakes', async () => {
  const id = await seed(world, { name: 'frozen', questions: [question], records: texts(8) })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  const second = await openTab(context, id)
  const session = await context.newCDPSession(page)
  await session.send('Debugger.enable')
  // Simulates a tab suspended by the system: it holds the lock but does nothing.
  await session.send('Debugger.pause')
  void page.evaluate(() => 1).catch(() => undefined)
  await second.keyboard.press('1')
  await expect.poll(() => countAnswers(id)).toBe(1)
  await expectSaved(second)
  await second.keyboard.press('Control+z')
  await expect.poll(() => countAnswers(id)).toBe(0)
  await session.send('Debugger.resume')
  await session.send('Debugger.disable')
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')
  await second.keyboard.press('2')
  await expectSaved(second)
  expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { answer: 'no' } })
  await context.close()
})

test('six tabs leave connections for answers', async () => {
  const ids = await Promise.all(
    [0, 1, 2, 3, 4, 5].map(i => seed(world, { name: `six-${i}`, questions: [question], records: texts(3) })),
  )
  const { page, context } = await sitDown()
  const streams = new Set<unknown>()
  context.on('request', request => {
    if (request.url().includes('/events?')) streams.add(request)
  })
  context.on('requestfailed', request => streams.delete(request))
  context.on('requestfinished', request => streams.delete(request))
  await page.close()
  const pages: Page[] = []
  for (const id of ids) pages.push(await openTab(context, id))
  for (const [i, id] of ids.entries()) {
    await pages[i]?.bringToFront()
    await pages[i]?.keyboard.press('1')
    await expect.poll(() => countAnswers(id)).toBe(1)
  }
  expect(streams.size).toBeLessThanOrEqual(2)
  await context.close()
})

test('the stream of news comes back after an answer that is none', async () => {
  const id = await seed(world, { name: 'stream', questions: [question], records: texts(6), minSubmitted: 2 })
  const { page, context } = await sitDown()
  let asked = 0
  await context.route(/\/events\?/, route => {
    asked++
    return asked < 3 ? route.fulfill({ status: 503, body: 'busy' }) : route.continue()
  })
  await openDataset(page, id)
  await expect.poll(() => asked).toBe(3)
  const [first] = await listRecords(world.owner, id)
  // Events about other users reach the page again.
  for (const client of [world.admin.client, world.owner])
    await client.upsertMyResponsesBulk({
      body: { items: [{ record_id: first?.id ?? '', status: 'submitted', values: { answer: { value: 'yes' } } }] },
    })
  await expect.poll(() => notice(page)).toBe('finished')
  await context.close()
})

test('a dataset that is deleted while it is open: said once, and the answers can be copied', async () => {
  const id = await seed(world, { name: 'doomed', questions: [question], records: texts(6) })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await context.route('**/responses/bulk', route => route.abort('connectionreset'))
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  await page.keyboard.press('2')
  await expectRecordText(page, 'Record number 2')
  await world.owner.deleteDataset({ params: { dataset_id: id } })
  await page.getByTestId('dataset-deleted').waitFor()
  await expect.poll(() => page.getByTestId('dataset-deleted').innerText()).toContain('2 of your answers could not be saved')
  await page.getByTestId('dataset-deleted').getByRole('button').click()
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toMatchObject([
    { status: 'submitted', values: { answer: { value: 'yes' } } },
    { status: 'submitted', values: { answer: { value: 'no' } } },
  ])
  await context.unrouteAll()
  await page.getByTestId('connection').getByRole('button').click()
  await expect.poll(() => page.getByTestId('outbox-lost').innerText()).toContain('2 answers belong')
  expect(await page.getByTestId('outbox').locator('li').count()).toBe(0)
  expect(await currentRecord(page).count()).toBe(0)
  await context.close()
})
