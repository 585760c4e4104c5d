/**
 * The first page contains its data: nothing is requested, the record is drawn immediately, and it belongs to the signed-in user.
 */
import { firstCallKey, firstCallsOf } from '@postil/domain/api/first-calls'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { currentRecord, expectRecordText, openDataset } from './annotation-page.ts'
import { enter, signIn, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const question = label('mood', ['good', 'bad'])
const HOSTILE = '</script><script>window.ran = 1</script><!-- <img src=x onerror="window.ran = 1"> \u2028 end'

async function sitDown(person = world.annotator, options: Parameters<typeof takeSeat>[1] = {}) {
  const seat = await takeSeat(world.server.url, { allow: [/401/], ...options })
  await enter(seat.context, world, person)
  return seat
}

/** Blocks the application script until it is released. */
async function holdApplication(page: Page) {
  const held = Promise.withResolvers<void>()
  await page.route(/\/assets\/app-[^/]+\.js$/, async route => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

/** Opens the page repeatedly until it contains all of its data, because the server does not wait for slow data. */
async function openWithData(page: Page, path: string, onOpen = () => {}): Promise<void> {
  const countAnswers = async () => {
    await page.goto('about:blank')
    onOpen()
    const answer = await page.goto(path, { waitUntil: 'commit' })
    return ((await answer?.text()) ?? '').split('<script type="application/json"').length - 1
  }
  await expect.poll(countAnswers).toBe(3)
}

const boxOf = (page: Page, selector: string) =>
  page.evaluate(selector => {
    const { x, y, width } = document.querySelector(selector)?.getBoundingClientRect() ?? {}
    return { x, y, width }
  }, selector)

test.each([
  { query: '', first: 0 },
  { query: 'page=21&status=pending', first: 20 },
])('the page with `$query` asks for nothing that came with it', async ({ query, first }) => {
  const id = await seed(world, { name: `asked ${first}`, questions: [question], records: texts(60) })
  const { page, context, troubles } = await sitDown(world.annotator, { serviceWorkers: 'block' })
  const calls: string[] = []
  page.on('request', request => {
    const { pathname, search } = new URL(request.url())
    calls.push(firstCallKey(request.method(), pathname + search, request.postData()))
  })
  await openWithData(page, `dataset/${id}/annotation-mode?${query}`, () => calls.splice(0))
  await expectRecordText(page, `Record number ${first}`)
  const known = firstCallsOf(`dataset/${id}/annotation-mode`, query).map(({ key }) => key)
  expect(known.length).toBe(3)
  expect(calls.filter(call => known.includes(call))).toEqual([])
  expect(await page.locator('script[data-call]').count()).toBe(0)
  await page.keyboard.press('ArrowRight')
  await expectRecordText(page, `Record number ${first + 1}`)
  expect(troubles).toEqual([])
  await context.close()
})

test('the record is drawn before the application has come, where the application draws it', async () => {
  const id = await seed(world, {
    name: 'early',
    questions: [question],
    records: [{ fields: { text: `${HOSTILE}\n\n${'A second paragraph. '.repeat(40)}` } }, ...texts(3)],
  })
  const { page, context, troubles } = await sitDown(world.annotator, { serviceWorkers: 'block' })
  const release = await holdApplication(page)
  await openWithData(page, `dataset/${id}/annotation-mode`)
  const early = page.locator('#early .record')
  await early.waitFor()
  expect(await early.innerText()).toContain(HOSTILE)
  expect(await currentRecord(page).count()).toBe(0)
  await page.evaluate(() => document.fonts.ready)
  const before = await boxOf(page, '#early .field-body')
  release()
  await currentRecord(page).waitFor()
  expect(await page.locator('#early').count()).toBe(0)
  await expect.poll(() => boxOf(page, '[data-testid=record]:not([hidden]) .field-body')).toEqual(before)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(troubles).toEqual([])
  await context.close()
})

test('the next person at this browser gets their own data, and what is kept of pages holds nobody’s', async () => {
  const id = await seed(world, { name: 'next', questions: [question], records: texts(4), minSubmitted: 2 })
  const { page, context } = await sitDown(world.annotator, { serviceWorkers: 'allow' })
  await openDataset(page, id)
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  const readKept = () =>
    page.evaluate(async () => {
      const answers = await (await caches.open('postil-shell')).matchAll()
      const pages = answers.filter(({ headers }) => headers.get('content-type')?.startsWith('text/html'))
      return Promise.all(pages.map(one => one.text()))
    })
  await expect.poll(async () => (await readKept()).length).toBe(2)
  expect(await readKept()).not.toContainEqual(expect.stringContaining('data-call'))
  await page.getByTestId('account').click()
  await page.getByTestId('sign-out').click()
  await signIn(page, world.admin.username, world.admin.password)
  await openDataset(page, id)
  await expectRecordText(page, 'Record number 0')
  expect(await page.evaluate(() => localStorage.getItem('postil.signed-in'))).toBe(world.admin.id)
  await context.close()
})

test('going back after the session has ended shows nothing of it', async () => {
  const id = await seed(world, { name: 'back', questions: [question], records: texts(2) })
  const { page, context } = await sitDown(world.annotator, { allow: [/401/], serviceWorkers: 'block' })
  await openDataset(page, id)
  await page.goto('user-settings')
  await page.getByTestId('account').waitFor()
  const ended = await context.request.delete('api/v1/session', { headers: { 'x-postil-csrf': '1' } })
  expect(ended.ok()).toBe(true)
  await page.goBack()
  await page.getByTestId('sign-in-submit').waitFor()
  expect(await page.getByText('Record number').count()).toBe(0)
  await context.close()
})
