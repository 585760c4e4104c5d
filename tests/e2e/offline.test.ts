/** Offline start: the page opens, the next records are available, and answers are sent later. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, listRecords, openDataset } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const OFFLINE = [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/]

async function takeKeptSeat() {
  const seat = await takeSeat(world.server.url, { allow: OFFLINE })
  await enter(seat.context, world, world.annotator)
  // The service worker only caches files loaded after it is active.
  await seat.page.goto('')
  await seat.page.evaluate(() => navigator.serviceWorker.ready)
  return seat
}

/** Checks that records from `from` to `to` are stored, which happens when the page is idle. */
async function keeps(page: Page, datasetId: string, from: number, to: number) {
  const numbers = new Map((await listRecords(world.owner, datasetId, 200)).map(({ id }, i) => [id, i]))
  const kept = async () => {
    const [ids = []] = await page.evaluate(readKeptLists, `postil.${world.annotator.id}`)
    const list = ids.map(id => numbers.get(id) ?? -1)
    return list[0] === from && list.includes(to)
  }
  await expect.poll(kept).toBe(true)
}
/** Runs in the page: record ids of each list in the browser's storage. */
function readKeptLists(database: string): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction('copies').objectStore('copies').getAll()
      reading.onerror = () => reject(reading.error)
      reading.onsuccess = () => {
        opening.result.close()
        resolve(reading.result.flatMap(({ ids, pages }) => (ids && pages ? [ids] : [])))
      }
    }
  })
}

test('after many submits, a reload without a network finds the next records', async () => {
  const id = await seed(world, { name: 'far', questions: [label('answer', ['yes', 'no'])], records: texts(160) })
  const { page, context, troubles } = await takeKeptSeat()
  await openDataset(page, id)
  await page.reload()
  for (let i = 0; i < 100; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await expectSaved(page)
  await keeps(page, id, 100, 119)
  await context.setOffline(true)
  await page.reload()
  for (let i = 100; i < 120; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('2')
  }
  await expect.poll(() => page.getByTestId('connection').innerText()).toContain('20')
  await context.setOffline(false)
  await expectSaved(page)
  const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: id } })
  expect(responses).toMatchObject({ pending: 40, submitted: 120 })
  expect(troubles).toEqual([])
  await context.close()
})

test('a person who walks without an answer is where they were', async () => {
  const id = await seed(world, { name: 'walk', questions: [label('answer', ['yes', 'no'])], records: texts(90) })
  const { page, context } = await takeKeptSeat()
  await openDataset(page, id)
  await page.reload()
  for (let i = 0; i < 47; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('ArrowRight')
  }
  await expectRecordText(page, 'Record number 47')
  await keeps(page, id, 0, 66)
  await context.setOffline(true)
  await page.reload()
  await expectRecordText(page, 'Record number 47')
  await expect.poll(() => page.getByTestId('position').innerText()).toBe('48')
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 48')
  await context.setOffline(false)
  await expectSaved(page)
  const records = await listRecords(world.owner, id)
  expect(records.filter(({ responses }) => responses?.length).map(({ external_id }) => external_id)).toEqual(['r-47'])
  await expect.poll(() => currentRecord(page).count()).toBe(1)
  await context.close()
})

test('where the records at hand end, it says why, and goes on by itself when the network is back', async () => {
  const id = await seed(world, { name: 'end', questions: [label('answer', ['yes', 'no'])], records: texts(45) })
  const { page, context } = await takeKeptSeat()
  await openDataset(page, id)
  await context.setOffline(true)
  for (let i = 0; i < 30; i++) {
    await expectRecordText(page, `Record number ${i}`)
    expect(await page.locator('.sheet > .problem').count()).toBe(0)
    await page.keyboard.press('1')
  }
  await expect.poll(() => page.locator('.sheet > .problem').innerText()).toContain('Cannot reach the server')
  expect(await page.getByTestId('empty').count()).toBe(0)
  await context.setOffline(false)
  await expectRecordText(page, 'Record number 30')
  await expectSaved(page)
  const { responses } = await world.annotator.client.getMyDatasetMetrics({ params: { dataset_id: id } })
  expect(responses).toMatchObject({ pending: 15, submitted: 30 })
  await context.close()
})

test('records that were asked for just before the network came back, and did not come, are asked for again', async () => {
  const id = await seed(world, { name: 'between', questions: [label('answer', ['yes', 'no'])], records: texts(45) })
  const { page, context } = await takeSeat(world.server.url, { allow: OFFLINE })
  await enter(context, world, world.annotator)
  await openDataset(page, id)
  const isBack = Promise.withResolvers<void>()
  await context.route(/records\/search/, async route => {
    await isBack.promise
    await route.abort('internetdisconnected')
  })
  for (let i = 0; i < 30; i++) {
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await page.evaluate(() => dispatchEvent(new Event('online')))
  isBack.resolve()
  await expect.poll(() => page.locator('.sheet > .problem').innerText()).toContain('Cannot reach the server')
  await context.unrouteAll()
  await expectRecordText(page, 'Record number 30')
  await context.close()
})

test('templates are drawn without a network', async () => {
  const template = '<b>{{record.fields.card.name}}</b>'
  const id = await seed(world, {
    name: 'templates',
    fields: [{ name: 'card', title: 'Card', required: true, settings: { type: 'custom', template, advanced_mode: false } }],
    questions: [label('answer', ['yes', 'no'])],
    records: [0, 1, 2].map(i => ({ fields: { card: { name: `Card ${i}` } } })),
  })
  const { page, context } = await takeKeptSeat()
  const said = () => currentRecord(page).frameLocator('iframe').locator('body').innerText()
  await openDataset(page, id)
  await expect.poll(said).toBe('Card 0')
  await keeps(page, id, 0, 2)
  await context.setOffline(true)
  await page.reload()
  await expect.poll(said).toBe('Card 0')
  await page.keyboard.press('1')
  await expect.poll(said).toBe('Card 1')
  await context.close()
})
