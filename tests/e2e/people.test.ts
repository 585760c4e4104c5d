/**
 * Two users of one browser, one after the other or in two tabs: answers are never attributed to the other user, and neither sees
 * the other's work.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectRecordText, expectSaved, listRecords, openDataset } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const EXPECTED = [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/]
const question = label('answer', ['yes', 'no'])

type Person = typeof world.annotator

async function sitDown(person: Person = world.annotator) {
  const seat = await takeSeat(world.server.url, { allow: EXPECTED })
  // These tests end sessions, so each begins with a new one.
  world.sessions.clear()
  await enter(seat.context, world, person)
  return seat
}

/** Who answered what, by record index. */
async function answersOf(datasetId: string) {
  const names = new Map([
    [world.annotator.id, 'anna'],
    [world.admin.id, 'adam'],
  ])
  const records = await listRecords(world.owner, datasetId)
  return records.map(({ responses }) =>
    (responses ?? []).map(one => `${names.get(one.user_id ?? '')} ${one.values.answer?.value}`),
  )
}

async function signOut(page: Page) {
  await page.getByTestId('account').click()
  await page.getByTestId('sign-out').click()
}

async function signInElsewhere(context: BrowserContext, person: Person) {
  const page = await context.newPage()
  await page.goto('')
  await page.getByTestId('account').waitFor()
  await signOut(page)
  await page.getByTestId('sign-in-username').fill(person.username)
  await page.getByTestId('sign-in-password').fill(person.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
  return page
}

test('somebody else signs in in another tab: this one is locked at once, and no answer becomes theirs', async () => {
  const id = await seed(world, { name: 'swap', questions: [question], records: texts(6), minSubmitted: 2 })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await page.keyboard.press('1')
  await expectSaved(page)
  await signInElsewhere(context, world.admin)
  await page.getByTestId('session-lock').waitFor()
  expect(await page.getByText('Record number 1').filter({ visible: true }).count()).toBe(0)
  await page.keyboard.press('2')
  await page.keyboard.press('2')
  // After signing in again, the page's user continues where they were.
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('session-lock').waitFor({ state: 'detached' })
  await expectRecordText(page, 'Record number 1')
  await page.keyboard.press('1')
  await expectSaved(page)
  expect((await answersOf(id)).flat()).toEqual(['anna yes', 'anna yes'])
  await context.close()
})

test('a tab that hears nothing of it: the server refuses its answers, and they are kept for their owner', async () => {
  const id = await seed(world, { name: 'deaf', questions: [question], records: texts(6), minSubmitted: 2 })
  const { page, context } = await sitDown()
  // Simulates a sign-in that this tab is not notified of: a frozen tab, or another window of the same profile.
  await page.addInitScript(() => {
    const heard = BroadcastChannel.prototype.addEventListener
    BroadcastChannel.prototype.addEventListener = function (this: BroadcastChannel, ...given: Parameters<typeof heard>) {
      if (this.name !== 'postil.identity') heard.apply(this, given)
    } as typeof heard
  })
  await openDataset(page, id)
  await signInElsewhere(context, world.admin)
  await page.keyboard.press('1')
  await page.getByTestId('session-lock').waitFor()
  await expect.poll(() => page.getByTestId('lock-waiting').innerText()).toContain('1 answer is saved')
  expect((await answersOf(id)).flat()).toEqual([])
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  await expectSaved(page)
  expect((await answersOf(id)).flat()).toEqual(['anna yes'])
  await context.close()
})

test('answers given while signed out wait for the same person', async () => {
  const id = await seed(world, { name: 'waits', questions: [question], records: texts(8), minSubmitted: 2 })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await context.clearCookies()
  for (let i = 1; i <= 4; i++) {
    await page.keyboard.press('1')
    await expectRecordText(page, `Record number ${i}`)
  }
  await page.getByTestId('signed-out').waitFor()
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('signed-out')
  // Keys typed without looking are answers, not input to a password field.
  for (let i = 5; i <= 7; i++) {
    await page.keyboard.press('2')
    await expectRecordText(page, `Record number ${i}`)
  }
  expect(await page.getByTestId('sign-in-again').count()).toBe(0)
  await page.getByTestId('sign-in-now').click()
  await page.getByTestId('sign-in-again').getByRole('button', { name: 'Not now' }).click()
  await page.getByTestId('sign-in-again').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowLeft')
  await expectRecordText(page, 'Record number 6')
  expect(await page.getByTestId('sign-in-again').count()).toBe(0)
  await page.getByTestId('sign-in-now').click()
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  await expectSaved(page)
  expect((await answersOf(id)).flat()).toEqual([...Array(4).fill('anna yes'), ...Array(3).fill('anna no')])
  await context.close()
})

test('sign-out in one tab covers the others', async () => {
  const id = await seed(world, { name: 'out', questions: [question], records: texts(3) })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await page.keyboard.press('Control+k')
  await page.getByTestId('palette-dialog').waitFor()
  const other = await context.newPage()
  await other.goto('')
  await signOut(other)
  await page.getByTestId('session-lock').waitFor()
  await expect.poll(() => page.getByTestId('session-lock').getAttribute('data-state')).toBe('left')
  await page.getByTestId('lock-leave').click()
  await page.getByTestId('sign-in-username').fill(world.admin.username)
  await page.getByTestId('sign-in-password').fill(world.admin.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('account').waitFor()
  // No overlay of the first user covers the page of the next.
  expect(await page.getByTestId('palette-dialog').count()).toBe(0)
  await context.close()
})

test('sign-out with waiting answers sends them first, or says what becomes of them', async () => {
  const id = await seed(world, { name: 'leaving', questions: [question], records: texts(5), minSubmitted: 2 })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await context.route('**/me/responses/bulk', route => route.abort('connectionreset'))
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  await signOut(page)
  const dialog = page.getByTestId('sign-out-waiting')
  await expect.poll(() => dialog.innerText()).toContain('1 answer is not sent yet')
  expect((await answersOf(id)).flat()).toEqual([])
  await dialog.getByTestId('sign-out-anyway').click()
  await page.getByTestId('sign-in-username').waitFor()
  await context.unrouteAll()

  // Another user of the same browser neither sends nor sees it.
  await page.getByTestId('sign-in-username').fill(world.admin.username)
  await page.getByTestId('sign-in-password').fill(world.admin.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
  await expectSaved(page)
  expect((await answersOf(id)).flat()).toEqual([])
  await signOut(page)
  await page.getByTestId('sign-in-username').fill(world.annotator.username)
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
  await expect.poll(() => answersOf(id)).toContainEqual(['anna yes'])

  // If the server can be reached, the dialog closes automatically once everything is sent.
  await openDataset(page, id)
  const isBack = Promise.withResolvers<void>()
  await context.route('**/me/responses/bulk', async route => {
    await isBack.promise
    await route.continue()
  })
  await page.keyboard.press('2')
  await signOut(page)
  await dialog.waitFor()
  isBack.resolve()
  await page.getByTestId('sign-in-username').waitFor()
  expect((await answersOf(id)).flat()).toEqual(['anna yes', 'anna no'])
  await context.close()
})

test('whoever is not signed in asks for no data, before the first sign-in and after a sign-out', async () => {
  const id = await seed(world, { name: 'strangers', questions: [question], records: texts(2) })
  const { page, context } = await takeSeat(world.server.url, { allow: EXPECTED })
  const asked: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (/^\/api\/v1\/(me|datasets)\b/.test(pathname)) asked.push(pathname)
  })
  const visit = async () => {
    asked.length = 0
    await page.goto(`dataset/${id}/annotation-mode`)
    await page.getByTestId('sign-in-submit').waitFor()
    expect(asked).toEqual(['/api/v1/me'])
  }
  await visit()
  await page.getByTestId('sign-in-username').fill(world.annotator.username)
  await page.getByTestId('sign-in-password').fill(world.annotator.password)
  await page.getByTestId('sign-in-submit').click()
  // The page that was originally requested.
  await expectRecordText(page, 'Record number 0')
  await signOut(page)
  await page.getByTestId('sign-in-submit').waitFor()
  await visit()
  await context.close()
})

test('searches, read guidelines and flags are one person’s', async () => {
  const plan = { name: 'private', questions: [question], records: texts(5), guidelines: 'Read me first.' }
  const id = await seed(world, plan)
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await page.getByTestId('search-input').fill('secret words')
  await page.keyboard.press('Enter')
  await page.getByTestId('empty').waitFor()
  await signOut(page)
  await page.getByTestId('sign-in-username').fill(world.admin.username)
  await page.getByTestId('sign-in-password').fill(world.admin.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
  await openDataset(page, id)
  // Open, because this user has not read them yet.
  await expect.poll(() => page.getByText('Read me first.').isVisible()).toBe(true)
  await page.getByTestId('search-input').click()
  expect(await page.getByText('secret words').count()).toBe(0)
  const keys = await page.evaluate(() => Object.keys(localStorage))
  const known = [world.annotator.id, world.admin.id]
  const isAllowed = (key: string) =>
    known.some(one => key.includes(one)) || ['postil.preferences', 'postil.signed-in'].includes(key)
  expect(keys.filter(key => !isAllowed(key))).toEqual([])
  await context.close()
})

test('a shared device without a network opens with the work of whoever signed in last, not of who came before', async () => {
  const id = await seed(world, { name: 'shared', questions: [question], records: texts(5), minSubmitted: 2 })
  const { page, context } = await sitDown()
  await page.goto('')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await openDataset(page, id)
  await page.reload()
  await expectRecordText(page, 'Record number 0')
  await context.route('**/me/responses/bulk', route => route.abort('connectionreset'))
  await page.keyboard.press('1')
  await expectRecordText(page, 'Record number 1')
  // The session ends, another user signs in, and the network fails.
  await context.clearCookies()
  await page.goto('sign-in')
  await page.getByTestId('sign-in-username').fill(world.admin.username)
  await page.getByTestId('sign-in-password').fill(world.admin.password)
  await page.getByTestId('sign-in-submit').click()
  await page.getByTestId('dataset-list').waitFor()
  await context.setOffline(true)
  await page.goto(`dataset/${id}/annotation-mode`).catch(() => undefined)
  await expect.poll(() => page.getByTestId('account').getAttribute('title')).toBe(world.admin.username)
  expect(await page.getByText('Record number').filter({ visible: true }).count()).toBe(0)
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('saved')
  await context.unrouteAll()
  await context.setOffline(false)
  await openDataset(page, id)
  await expectRecordText(page, 'Record number 0')
  expect((await answersOf(id)).flat()).toEqual([])
  await context.close()
})
