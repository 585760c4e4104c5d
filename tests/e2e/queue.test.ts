/** The list of records: responses for an earlier filter are not shown after the filter has changed. */
import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectRecordText, openDataset } from './annotation-page.ts'
import { page, press, takeDesk, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeDesk({ as: 'annotator', each: 'emptied', allow: [/ERR_FAILED/] })

const seedMany = (name: string) => seed(world, { name, questions: [label('mood', ['good', 'bad'])], records: texts(90) })
/** The current record, and the next one, which is rendered hidden. */
const drawn = () => page.getByTestId('record').allTextContents()
/** One more round trip, so that everything that arrived before it is processed. */
const roundTrip = () => page.evaluate(async () => void (await (await fetch(location.href)).text()))

/** Blocks the page of records at an offset until it is released. */
async function holdPage(offset: number) {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<'go' | 'abort'>()
  const ended = Promise.withResolvers<void>()
  const isHeld = (url: string) => url.includes('/records/search?') && new URL(url).searchParams.get('offset') === String(offset)
  const noteEnd = (request: Request) => {
    if (isHeld(request.url())) ended.resolve()
  }
  page.on('requestfinished', noteEnd)
  page.on('requestfailed', noteEnd)
  await page.route(
    url => isHeld(url.href),
    async route => {
      asked.resolve()
      if ((await released.promise) === 'abort') await route.abort()
      else await route.continue()
    },
  )
  const end = (how: 'go' | 'abort') => async () => {
    released.resolve(how)
    await ended.promise
    await roundTrip()
  }
  return { asked: asked.promise, release: end('go'), fail: end('abort') }
}

async function search(words: string) {
  await press('/')
  await page.getByTestId('search-input').fill(words)
  await press('Enter')
  await expect.poll(() => page.getByTestId('total').first().innerText()).toBe('1')
  await press('Escape')
}

test.each([
  { side: 'ahead', query: '', offset: 25, steps: 10 },
  { side: 'behind', query: '?page=41', offset: 15, steps: 0 },
])('a page $side that arrives after the filter was changed is not shown', async ({ side, query, offset, steps }) => {
  const id = await seedMany(`late ${side}`)
  const held = await holdPage(offset)
  await openDataset(page, id, query)
  for (let i = 0; i < steps; i++) await press('ArrowRight')
  await held.asked
  await search('"number 77"')
  await expectRecordText(page, 'Record number 77')
  await held.release()
  for (const key of ['ArrowRight', 'ArrowLeft']) {
    await press(key)
    await roundTrip()
    // The previous content is removed when the browser is idle.
    await expect.poll(drawn).toEqual([expect.stringContaining('Record number 77')])
  }
})

test('a page that fails after the filter was changed is not a problem of the new list', async () => {
  const id = await seedMany('late failure')
  const held = await holdPage(25)
  await openDataset(page, id)
  for (let i = 0; i < 10; i++) await press('ArrowRight')
  await held.asked
  await search('"number 77"')
  await press('1')
  await page.getByTestId('empty').waitFor()
  await held.fail()
  await page.getByTestId('empty').waitFor()
  expect(await page.locator('.sheet > .problem').count()).toBe(0)
})

test('the first record is one key away, also the second time', async () => {
  const id = await seed(world, { name: 'home', questions: [label('answer', ['yes', 'no'])], records: texts(6) })
  await openDataset(page, id)
  for (let round = 0; round < 2; round++) {
    await press('ArrowRight', 'ArrowRight')
    await expectRecordText(page, 'Record number 2')
    await press('Home')
    await expectRecordText(page, 'Record number 0')
  }
})
