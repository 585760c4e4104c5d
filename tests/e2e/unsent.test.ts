/** Unsent answers and edits: one that the server cannot process does not block others, and typed text is never lost. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectRecordText, expectSaved, listRecords, openDataset, storedResponse } from './annotation-page.ts'
import { enter, takeSeat } from './browser.ts'
import { takeWorld, world } from './desk.ts'
import { label, seed, texts } from './seed.ts'

takeWorld()

const question = label('answer', ['yes', 'no'])
const comment = { name: 'comment', title: 'Comment', required: true, settings: { type: 'text' as const, use_markdown: false } }
const EXPECTED = [/401/, /Failed to load resource/, /ERR_INTERNET_DISCONNECTED/]

async function sitDown() {
  const seat = await takeSeat(world.server.url, { allow: EXPECTED })
  await enter(seat.context, world, world.annotator)
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
    await expectRecordText(page, `Record number ${i}`)
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
  await page.goto('')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await openDataset(page, id)
  const box = page.getByTestId('question-comment').getByRole('textbox')
  await context.setOffline(true)
  await box.fill('first')
  await page.getByTestId('submit').click()
  await expectRecordText(page, 'Record number 1')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowLeft')
  await expectRecordText(page, 'Record number 0')
  await box.fill('first, and more')
  await expect.poll(() => box.inputValue()).toBe('first, and more')
  await context.setOffline(false)
  await expectSaved(page)
  await page.goto(`dataset/${id}/annotation-mode?_status=submitted&status=submitted`)
  await expectRecordText(page, 'Record number 0')
  await expect.poll(() => box.inputValue()).toBe('first, and more')
  await expect.poll(() => page.getByTestId('form-notice').getAttribute('data-notice')).toBe('restored')
  // Nothing is sent automatically.
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
    await expectRecordText(page, `Record number ${i}`)
    await page.keyboard.press('1')
  }
  await expectRecordText(page, 'Record number 3')
  await expectSaved(page)
  await context.close()
})

/** Opens the list of unsent answers from the top bar. */
async function openOutbox(page: Page) {
  await page.locator('[data-testid=connection][data-state=attention]').getByRole('button').click()
  return page.getByTestId('outbox')
}

test('an answer to a deleted record can be copied or discarded, not sent again; Skip discards it', async () => {
  const id = await seed(world, { name: 'deleted', questions: [question], records: texts(4) })
  const [first] = await listRecords(world.owner, id)
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await world.owner.deleteRecords({ params: { dataset_id: id }, query: { ids: first?.id ?? '' } })
  await page.keyboard.press('1')
  const outbox = await openOutbox(page)
  await expect.poll(() => outbox.innerText()).toContain('deleted')
  expect(await outbox.innerText()).not.toContain(first?.id)
  expect(await outbox.getByTestId('outbox-drop').count()).toBe(1)
  expect([await outbox.getByTestId('outbox-insist').count(), await outbox.getByTestId('outbox-show').count()]).toEqual([0, 0])
  await page.keyboard.press('Escape')
  await outbox.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await expectRecordText(page, 'Record number 0')
  await page.getByTestId('lost').waitFor()
  // Nothing can be saved to a deleted record.
  await page.keyboard.press('2')
  await page.keyboard.press('Control+Enter')
  expect(await page.getByTestId('discard').isDisabled()).toBe(true)
  await expectRecordText(page, 'Record number 0')
  await page.getByTestId('lost').getByRole('button').last().click()
  await expectSaved(page)
  await expectRecordText(page, 'Record number 2')
  await context.close()
})

test('an answer in a workspace that the person was removed from says who can help, and is sent once they are back', async () => {
  const id = await seed(world, { name: 'removed', questions: [question], records: texts(3) })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  const membership = { workspace_id: world.workspaceId, user_id: world.annotator.id }
  await world.owner.removeWorkspaceUser({ params: membership })
  await page.keyboard.press('1')
  const outbox = await openOutbox(page)
  await expect.poll(() => outbox.innerText()).toMatch(/no longer a member of this workspace.*Ask an admin/)
  expect(await outbox.innerText()).not.toContain('not allowed')
  await world.owner.addWorkspaceUser({ params: { workspace_id: world.workspaceId }, body: { user_id: world.annotator.id } })
  await outbox.getByTestId('outbox-insist').click()
  await page.keyboard.press('Escape')
  await expectSaved(page)
  expect(await storedResponse(world, id, 0)).toEqual({ status: 'submitted', values: { answer: 'yes' } })
  await context.close()
})

test('a refused value is told at its question, whatever the name of the question', async () => {
  const odd = { ...label('a_value', ['yes', 'no']), title: 'Odd one' }
  const id = await seed(world, { name: 'refused value', questions: [odd, comment], records: texts(3) })
  const { page, context } = await sitDown()
  await openDataset(page, id)
  await context.route(
    '**/responses/bulk',
    async route => {
      const body = JSON.parse(route.request().postData() ?? '{}')
      for (const item of body.items) item.values.a_value.value = 'neither'
      await route.continue({ postData: JSON.stringify(body) })
    },
    { times: 1 },
  )
  await page.getByTestId('question-comment').getByRole('textbox').fill('so')
  await page.getByTestId('question-a_value').getByTestId('option').first().click()
  await page.getByTestId('submit').click()
  const outbox = await openOutbox(page)
  await expect.poll(() => outbox.innerText()).toMatch(/Odd one.*`neither` is not an option/)
  await page.keyboard.press('Escape')
  await outbox.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await expectRecordText(page, 'Record number 0')
  await expect
    .poll(() => page.getByTestId('question-a_value').getByRole('alert').innerText())
    .toContain('`neither` is not an option')
  expect(await page.getByTestId('question-comment').getByRole('alert').count()).toBe(0)
  await context.close()
})
