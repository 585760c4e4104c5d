/** Answers and edits on their way: one that cannot be processed holds up no other, and what was typed is never dropped. */
import { expect, test } from 'vitest'
import { isSaved, listRecords, openDataset, shows, storedResponse } from './annotating.ts'
import { signIn, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const question = label('answer', ['yes', 'no'])
const comment = { name: 'comment', title: 'Comment', required: true, settings: { type: 'text' as const, use_markdown: false } }
const EXPECTED = [/401/, /Failed to load resource/, /ERR_INTERNET_DISCONNECTED/]

async function sitDown() {
  const seat = await takeSeat(world.server.url, { allow: EXPECTED })
  await signIn(seat.page, world.annotator.username, world.annotator.password)
  return seat
}

test('an answer on which the server fails is set aside with its reason, and the others arrive', async () => {
  const id = await seed(world, { name: 'poison', questions: [question], records: texts(8) })
  const bad = (await listRecords(world.owner, id))[1]?.id ?? ''
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await context.route('**/responses/bulk', async route => {
    if (route.request().postData()?.includes(bad)) return route.fulfill({ status: 500, body: 'Internal Server Error' })
    return route.continue()
  })
  for (let i = 0; i < 5; i++) {
    await shows(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await expect.poll(() => page.getByTestId('connection').getAttribute('data-state')).toBe('attention')
  const answered = async () => (await listRecords(world.owner, id)).flatMap(({ responses }, i) => (responses?.length ? [i] : []))
  await expect.poll(answered).toEqual([0, 2, 3, 4])
  await page.getByTestId('connection').getByRole('button').click()
  await expect.poll(() => page.getByTestId('outbox').innerText()).toContain('500')
  await context.close()
})

test('what was typed upon an answer that had not arrived is there after a reload', async () => {
  const id = await seed(world, { name: 'typed', questions: [comment], records: texts(4) })
  const { page, context } = await sitDown()
  await page.evaluate(() => navigator.serviceWorker.ready)
  await openDataset(page, id)
  const box = page.getByTestId('question-comment').getByRole('textbox')
  await context.setOffline(true)
  await box.fill('first')
  await page.getByTestId('submit').click()
  await shows(page, 'Record number 1')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowLeft')
  await shows(page, 'Record number 0')
  await box.fill('first, and more')
  await expect.poll(() => box.inputValue()).toBe('first, and more')
  await context.setOffline(false)
  await isSaved(page)
  await page.goto(`dataset/${id}/annotation-mode?_status=submitted&status=submitted`)
  await shows(page, 'Record number 0')
  await expect.poll(() => box.inputValue()).toBe('first, and more')
  await expect.poll(() => page.getByTestId('form-notice').getAttribute('data-notice')).toBe('restored')
  // Nothing of it is sent by itself.
  await page.waitForTimeout(3_000)
  expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { comment: 'first' } })
  await page.getByTestId('submit').click()
  await expect.poll(async () => (await storedResponse(world, id, 0))?.values.comment).toBe('first, and more')
  await context.close()
})

test('a statistic that fails does not stop the move to the next record', async () => {
  const id = await seed(world, { name: 'statistic', questions: [question], records: texts(4) })
  const { page, context } = await sitDown()
  await context.addInitScript(() => {
    const set = Storage.prototype.setItem
    Storage.prototype.setItem = function (this: Storage, key: string, value: string) {
      if (key.includes('pace')) throw new DOMException('full', 'QuotaExceededError')
      set.call(this, key, value)
    }
  })
  await openDataset(page, id)
  for (let i = 0; i < 3; i++) {
    await shows(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await shows(page, 'Record number 3')
  await isSaved(page)
  await context.close()
})
