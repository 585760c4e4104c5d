/**
 * A later visit to the annotation page: the cached page and the record of the last visit show before the server has answered, and
 * give way to what the server says.
 */
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentRecord, expectRecordText, expectSaved, listRecords, openDataset, storedResponse } from './annotation-page.ts'
import { enter, openBrowser, type Seat, signIn, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'
import { openUpgradeProxy, type UpgradeProxy } from './upgrade-proxy.ts'

takeWorld()

let proxy: UpgradeProxy
let seat: Seat
let release = () => {}
beforeEach(async () => {
  proxy = await openUpgradeProxy(world.server.url)
  seat = await takeSeat(proxy.url, { allow: [/40[134]/] })
  await enter(seat.context, world, world.annotator)
})
afterEach(async () => {
  release()
  const { troubles } = seat
  await seat.context.close()
  await proxy.close()
  expect(troubles).toEqual([])
})

const KEPT = 'first-record'
const readKept = (page: Page, userId: string) => page.evaluate(key => localStorage.getItem(key), `postil.${userId}.${KEPT}`)

/** A first visit, after which the page and its record are kept. */
async function visit(name: string, count = 4): Promise<string> {
  const { page } = seat
  const id = await seed(world, { name, questions: [label('mood', ['good', 'bad'])], records: texts(count), minSubmitted: 2 })
  await openDataset(page, id)
  await expectRecordText(page, 'Record number 0')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await expect.poll(() => page.evaluate(() => caches.match('/dataset').then(answer => answer?.ok ?? false))).toBe(true)
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
  await expect.poll(() => readKept(page, world.annotator.id)).toContain('Record number 0')
  return id
}

const early = (page: Page) => page.locator('#early .record')
const pathOf = (id: string) => `dataset/${id}/annotation-mode`

/** Opens the dataset while the server does not answer. */
async function open(id: string): Promise<Page> {
  const { page } = seat
  await page.goto('about:blank')
  release = proxy.holdPages()
  await page.goto(pathOf(id), { waitUntil: 'commit' })
  return page
}

test('shows the record of the last visit at once; it cannot be answered until the server has answered', async () => {
  const id = await visit('at once')
  const page = await open(id)
  await expect.poll(() => early(page).innerText()).toContain('Record number 0')
  expect(await currentRecord(page).count()).toBe(0)
  await page.keyboard.press('1')
  release()
  await expectRecordText(page, 'Record number 0')
  await expect.poll(() => page.locator('#early').count()).toBe(0)
  expect(await storedResponse(world, id)).toBeNull()
  await page.keyboard.press('2')
  await expectRecordText(page, 'Record number 1')
  await expectSaved(page)
  expect(await storedResponse(world, id)).toMatchObject({ status: 'submitted', values: { mood: 'bad' } })
})

test('follows the user: after an answer it is the next record', async () => {
  const id = await visit('followed')
  const { page } = seat
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  await expectSaved(page)
  await expect.poll(() => readKept(page, world.annotator.id)).toContain('Record number 1')
  await open(id)
  await expect.poll(() => early(page).innerText()).toContain('Record number 1')
  release()
  await expectRecordText(page, 'Record number 1')
})

const firstRecord = async (id: string) => (await listRecords(world.owner, id))[0]?.id ?? ''

describe('the server’s answer replaces it', () => {
  test('when the record was answered elsewhere', async () => {
    const id = await visit('answered')
    await world.annotator.client.createResponse({
      params: { record_id: await firstRecord(id) },
      body: { status: 'submitted', values: { mood: { value: 'good' } } },
    })
    const page = await open(id)
    await early(page).waitFor()
    release()
    await expectRecordText(page, 'Record number 1')
    expect(await page.getByText('Record number 0').count()).toBe(0)
  })

  test('when the record was deleted', async () => {
    const id = await visit('record deleted')
    await world.owner.deleteRecord({ params: { record_id: await firstRecord(id) } })
    const page = await open(id)
    await early(page).waitFor()
    release()
    await expectRecordText(page, 'Record number 1')
    expect(await page.getByText('Record number 0').count()).toBe(0)
  })

  test('when the settings were changed', async () => {
    const id = await visit('settings')
    const [field] = (await world.owner.listFields({ params: { dataset_id: id } })).items
    await world.owner.updateField({ params: { field_id: field?.id ?? '' }, body: { title: 'New title' } })
    const page = await open(id)
    await early(page).waitFor()
    release()
    await expectRecordText(page, 'New title')
  })

  test('when the dataset was deleted', async () => {
    const id = await visit('dataset deleted')
    await world.owner.deleteDataset({ params: { dataset_id: id } })
    const page = await open(id)
    await early(page).waitFor()
    release()
    await page.locator('main.sorry').waitFor()
    expect(await page.getByText('Record number 0').count()).toBe(0)
  })

  test('when the user is no longer a member of the workspace', async () => {
    const id = await visit('left')
    const params = { workspace_id: world.workspaceId, user_id: world.annotator.id }
    await world.owner.removeWorkspaceUser({ params })
    try {
      const page = await open(id)
      await early(page).waitFor()
      release()
      await page.locator('main.sorry').waitFor()
      expect(await page.getByText('Record number 0').count()).toBe(0)
    } finally {
      await world.owner.addWorkspaceUser({ params: { workspace_id: world.workspaceId }, body: { user_id: world.annotator.id } })
    }
  })

  test('when the session has ended, and the next visit shows nothing', async () => {
    const id = await visit('ended')
    await seat.context.clearCookies()
    const page = await open(id)
    await early(page).waitFor()
    release()
    await page.getByTestId('sign-in-submit').waitFor()
    expect(await page.getByText('Record number 0').count()).toBe(0)
    expect(await readKept(page, world.annotator.id)).toBeNull()
  })

  test('when the server has a new version of the page, whose API the old one does not call', async () => {
    const id = await visit('version')
    proxy.upgrade()
    const page = await open(id)
    await early(page).waitFor()
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    release()
    await expectRecordText(page, 'Record number 0')
    expect(await page.locator('script[src*="__2"]').count()).toBe(1)
    const reloaded = requests.findIndex(path => path.endsWith('annotation-mode'))
    expect(reloaded).toBeGreaterThanOrEqual(0)
    expect(requests.slice(0, reloaded).filter(path => path.startsWith('/api/'))).toEqual([])
  })
})

test('another user at this browser never sees it', async () => {
  const id = await visit('another user')
  const { page } = seat
  await page.getByTestId('account').click()
  await page.getByTestId('sign-out').click()
  await page.getByTestId('sign-in-submit').waitFor()
  expect(await readKept(page, world.annotator.id)).toBeNull()
  await signIn(page, world.admin.username, world.admin.password)
  await open(id)
  await page.locator('header.bar').first().waitFor()
  expect(await early(page).count()).toBe(0)
  release()
  await currentRecord(page).waitFor()
})

test('a user who signs in over another’s session never sees their record', async () => {
  const id = await visit('over')
  const { page } = seat
  await seat.context.clearCookies()
  await signIn(page, world.admin.username, world.admin.password)
  expect(await readKept(page, world.annotator.id)).toBeNull()
  await open(id)
  await page.locator('header.bar').first().waitFor()
  expect(await early(page).count()).toBe(0)
})

test.each([
  { why: 'another place', change: '', query: '?page=2' },
  { why: 'a search', change: '', query: '?search=x' },
  { why: 'a record kept too long ago', change: '"at":1,', query: '' },
  { why: 'something else in the storage', change: 'nonsense', query: '' },
])('is not shown for $why', async ({ why, change, query }) => {
  const id = await visit(why)
  const { page } = seat
  await page.evaluate(
    ([key = '', change = '']) => {
      const kept = localStorage.getItem(key) ?? ''
      if (change) localStorage.setItem(key, change.startsWith('"at"') ? kept.replace(/"at":\d+/, change.slice(0, -1)) : change)
    },
    [`postil.${world.annotator.id}.${KEPT}`, change],
  )
  await page.goto('about:blank')
  release = proxy.holdPages()
  await page.goto(pathOf(id) + query, { waitUntil: 'commit' })
  await page.locator('header.bar').first().waitFor()
  expect(await early(page).count()).toBe(0)
})

test('without storage the page opens as before', async () => {
  const { page } = seat
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  const id = await seed(world, { name: 'full', questions: [label('mood', ['good', 'bad'])], records: texts(2) })
  await openDataset(page, id)
  await page.evaluate(() => navigator.serviceWorker.ready)
  await page.reload()
  await expectRecordText(page, 'Record number 0')
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
})

test('runs the code that the browser has compiled on the first visit', async () => {
  const { page } = seat
  const isCompiled = page.waitForEvent('framedetached')
  const id = await visit('compiled')
  await isCompiled
  const browser = await openBrowser()
  await browser.startTracing(page, { categories: ['v8', 'devtools.timeline'] })
  await page.goto(pathOf(id))
  await currentRecord(page).waitFor()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string; args: { data?: { url?: string; consumedCacheSize?: number } } }[]
  }
  const compiled = traceEvents.filter(
    ({ name, args }) => name === 'v8.compileModule' && /\/(?:app|annotate)-/.test(args.data?.url ?? ''),
  )
  expect(compiled.length).toBe(2)
  expect(compiled.filter(({ args }) => args.data?.consumedCacheSize === undefined)).toEqual([])
})
